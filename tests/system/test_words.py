"""scripts/plain_words.py, the step "words" of `make lint`: it finds the words that this project no longer uses,
with the line on which each begins."""

import os
import sys

import pit_case

SCRIPT = os.path.join(pit_case.source_dir(), "scripts", "plain_words.py")
# In two parts each: the script reads this file too.
OLD_NOUN, OLD_VERB = "pass" + "ages", "ha" + "d"


class Words(pit_case.Case):
    def check_text(self, text, status):
        """The output of the script for a file with this text."""
        path = os.path.join(self.folder(), "text.c")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return self.run_status(status, [sys.executable, SCRIPT, path]).stdout.replace(path, "text.c")

    def test_words_split_over_two_comment_lines_are_found_with_their_line(self):
        text = "int a;\n\n/* A figure that can\n * be {0} on no machine. */\n# it can\n# be {0}\n"
        self.assertEqual(self.check_text(text.format(OLD_VERB), 1),
                         "text.c:3: can be {0} -> (not) available\n"
                         "text.c:5: can be {0} -> (not) available\n".format(OLD_VERB))

    def test_case_does_not_matter_and_parts_of_names_are_left_alone(self):
        self.assertEqual(self.check_text("int n; // %s\n" % OLD_NOUN.capitalize(), 1),
                         "text.c:1: %s -> call, iteration\n" % OLD_NOUN.capitalize())
        self.assertEqual(self.check_text("/* passenger, %s_count */\n" % OLD_NOUN, 0), "")

    def test_the_tree_has_no_old_words(self):
        done = self.run_status(0, [sys.executable, SCRIPT])
        self.assertEqual(done.stdout, "")


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
