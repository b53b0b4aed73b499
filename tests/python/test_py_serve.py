"""pitwall.serve: starts the tool, shows its link, and ends it with the program."""

import os

import py_case
import pit_case  # noqa: E402


class Serve(py_case.Case):
    def test_it_serves_until_it_is_stopped(self):
        found = self.python("""
            import urllib.request
            os.mkdir("runs")
            with pitwall.open("runs/a.pit"):
                with pitwall.span("work"):
                    pass
            with pitwall.serve("runs", open=False) as server:
                request = urllib.request.Request(
                    server.url + "api/v1/runs",
                    headers={"Authorization": "Bearer " + server.token})
                with urllib.request.urlopen(request, timeout=300) as answer:
                    runs = json.load(answer)["runs"]
                states = [server.is_running]
                shown = [repr(server), server._repr_html_()]
                link = [server.link, server.url, server.token]
            states.append(server.is_running)
            server.stop()
            tell([runs["path"], runs["state"], states, shown, link])
        """, PATH=os.path.join(pit_case.build_dir(), "bin") + ":" + os.environ["PATH"])
        paths, run_states, states, shown, (link, url, token) = found
        self.assertEqual((paths, run_states), (["runs/a.pit"], ["done"]))
        self.assertEqual(states, [True, False])
        self.assertEqual(link, url + "#token=" + token)
        self.assertIn(link, shown[0])
        self.assertIn('<a href="%s"' % link, shown[1])

    def test_it_ends_with_the_program(self):
        # Another process may have its pid by now, but not its start time too.
        pid, began = self.python("""
            server = pitwall.serve(".", open=False)
            with open("/proc/%d/stat" % server.pid) as file: tell([server.pid, file.read().split()[21]])
        """)
        try:
            with open("/proc/%d/stat" % pid, encoding="utf-8", errors="replace") as file:
                self.assertNotEqual(file.read().rpartition(")")[2].split()[19], began)
        except OSError:
            pass  # there is none

    def test_what_the_tool_says_is_the_error(self):
        found = self.python("""
            try:
                pitwall.serve("no/such/folder", open=False)
            except pitwall.Error as error:
                tell(str(error))
        """)
        self.assertIn("cannot read the folder: no/such/folder", found)


if __name__ == "__main__":
    py_case.main(has_threads=False)
