"""pitwall.auto(): the hooks of `pitwall run`, switched on from code."""

import auto_case
import py_case
from auto_case import SMALL


class Auto(py_case.Case):
    def test_what_is_imported_is_hooked_and_the_rest_when_it_comes(self):
        found = self.python("""
            first = pitwall.auto()
        """ + SMALL.replace("\n", "\n            ") + """
            for x in loader: learn(x)
            again = pitwall.auto()
            tell([first, again, counts(), sum("Finder" in type(f).__name__ for f in sys.meta_path)])
        """)
        (hooked, waiting, failed), again, counted, _ = found
        self.assertEqual((hooked, failed), ([], []))
        self.assertEqual(sorted(waiting), ["jax", "keras", "lightning", "optax", "pyopencl", "pytorch_lightning",
                                           "torch", "transformers"])
        self.assertEqual(again[0], ["torch"])
        self.assertNotIn("torch", again[1])
        self.assertEqual(counted, {"loader_start": 1, "step": 3, "step/data_loading": 3,
                                   "step/forward": 3, "step/backward": 3, "step/optimizer": 3})

    def test_late_with_an_optimiser_that_is_made(self):
        found = self.python(SMALL.replace("\n", "\n            ") + """
            hooks = [pitwall.auto().hooked for _ in range(3)]
            for x in loader: learn(x)
            pitwall._auto.remove()
            for x in loader: learn(x)
            tell([hooks, counts()])
        """)
        self.assertEqual(found, [[["torch"]] * 3, {
            "loader_start": 1, "step": 3, "step/data_loading": 3, "step/forward": 3,
            "step/backward": 3, "step/optimizer": 3}])

    def test_off(self):
        found = self.python("import torch; tell([pitwall.auto().hooked, pitwall.auto().failed])",
                            PITWALL="0")
        self.assertEqual(found, [[], []])


if __name__ == "__main__":
    auto_case.main(plain_build_only=True)
