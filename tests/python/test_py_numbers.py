"""Results of the package are valid JSON: a missing number is None, with a reason."""

import py_case


class Numbers(py_case.Case):
    def checked(self, program):
        """What the program tells; it must be JSON without nan and infinity."""
        return self.python("""
            import dataclasses
            nan, inf = float("nan"), float("inf")
            def as_json(found):
                if dataclasses.is_dataclass(found):
                    found = {f.name: getattr(found, f.name) for f in dataclasses.fields(found)
                             if f.name != "own"}
                json.dumps(found, allow_nan=False)
                return found
        """ + program)

    def test_warmup_and_variance(self):
        found = self.checked("""
            series = [[1.0, 1.0], [0.0, 0.0, 0.0], [nan, 1.0, 2.0], [inf, 1.0, 1.0], [3.0] + [1.0] * 20]
            tell([[as_json(pitwall.find_warmup(s)), as_json(pitwall.find_variance(s))] for s in series])
        """)
        for warmup, variance in found:
            for each in (warmup, variance):
                missing = [key for key, figure in each.items() if figure is None and key != "reason"]
                self.assertEqual(each["reason"] is None, not missing, each)
                for key in missing:
                    self.assertIn(key, each["reason"])
        self.assertIn("is no number", found[2][1]["reason"])
        self.assertIn("do not tell", found[1][1]["reason"])
        self.assertEqual(found[4][0]["first"], 3)

    def test_convergence_and_speedups(self):
        found = self.checked("""
            tell([as_json(pitwall.find_convergence([1.0, 0.1], 0.5)),
                  as_json(pitwall.find_convergence([nan, nan], 0.5)),
                  as_json(pitwall.find_speedups([("a", 1.0), ("b", 0.0), ("c", 2.0)])),
                  as_json(pitwall.advise([("a", 0.0), ("b", nan)], [0.0, nan, 1.0]))])
        """)
        for curve in found[:2]:
            missing = [key for key, figure in curve.items() if figure is None and key != "reason"]
            self.assertEqual(curve["reason"] is None, not missing, curve)
        self.assertTrue(found[1]["reason"])
        self.assertEqual(found[2], [2, None, 1])

    def test_scaling(self):
        found = self.checked("""
            told = []
            for sizes, costs in (([1, 2, 4], [1, 1, 1]), ([1, 2, 4], [0, 0, 0]), ([1, 2, 4, 8], [1, 2, 4, 8]),
                                 ([5, 5, 5], [1, 2, 3])):
                try: result = pitwall.find_scaling(sizes, costs)
                except (pitwall.Error, ValueError): continue
                told.append([as_json(result), as_json(result.predict(1e300))])
            tell(told)
        """)
        self.assertTrue(found)
        for result, _ in found:
            if None in result.values():
                self.assertTrue(result["warning"], result)

    def test_a_race_of_too_few_rounds(self):
        found = self.checked("""
            tell([as_json(pitwall.race(abs, abs, 1, rounds=n, round_seconds=1e-6)) for n in (1, 2)])
        """)
        for race in found:
            self.assertEqual(race["verdict"], "no verdict")
            self.assertTrue(race["reason"])


if __name__ == "__main__":
    py_case.main(plain_build_only=True)
