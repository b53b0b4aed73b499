"""The page of `pitwall serve` in a real browser, as a new user would use it: the list, a run, a comparison, a
job; a live run that is killed while it is shown; and a link to the current view."""

import os
import subprocess
import unittest

import browser
import pit_case
from serve_case import Case

READY = "return document.querySelector('main[data-ready]') !== null"
LISTED = "const p=document.querySelector('.runs'); return p && +p.dataset.rows === arguments[0]"


class Served(Case):
    browser = None

    @classmethod
    def setUpClass(cls):
        reason = browser.missing()
        if reason:
            raise unittest.SkipTest(reason)
        super().setUpClass()
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        if cls.browser:
            cls.browser.close()
        super().tearDownClass()

    def open_list(self, server, runs):
        b = self.browser
        b.open("about:blank")
        b.requests()
        b.open(server.told["link"])
        b.wait(LISTED, runs)
        return b

    def click(self, css):
        """In one step: the list is repainted all the time, and an element found a moment ago is gone."""
        self.browser.wait("const e=document.querySelector(arguments[0]); if (e) e.click(); return e !== null", css)

    def again(self):
        """The same address once more: what a link to it shows."""
        self.browser.reload()
        self.browser.wait(READY)

    def test_a_link_to_what_is_shown_shows_it_again(self):
        folder = self.folder()
        self.run_ok([pit_case.program("prog_export"), os.path.join(folder, "rich.pit"), "rich"])
        server = self.serve(folder)
        b = self.open_list(server, 1)
        self.assertNotIn("token", b.run("return location.href"))
        self.click(".runlist a")
        b.wait(READY)
        b.run("[...document.querySelectorAll('.btn')].find(e => e.textContent === 'Unfold all').click()")
        self.click(".tree .c-name button")
        b.run("document.querySelector('.u-over').scrollIntoView({block: 'center'})")
        b.drag(".u-over", 0.2, 0.7)
        b.wait("return location.hash.includes('t=')")
        b.run("document.querySelectorAll('.tree [data-i]')[1].click()")
        b.run("document.querySelector('details').open = true")
        b.wait("return location.hash.includes('more=1')")
        b.type(".search input", "e")
        b.wait("return location.hash.includes('q=e')")
        shown = ("return [location.hash, document.querySelector('.tree').innerText, "
                 "document.querySelector('.tree .sel') && document.querySelector('.tree .sel').innerText, "
                 "document.querySelector('details').open, document.querySelector('.detail').innerText, "
                 "[...document.querySelectorAll('.charts .ch h3')].map(e => e.textContent)]")
        before = b.run(shown)
        self.again()
        b.wait("return document.querySelector('details').open")
        self.assertEqual(b.run(shown), before)
        self.assertTrue(all(url.startswith(server.told["url"]) or url in (server.told["link"], "about:blank") for url in b.requests()))

    def test_two_runs_and_two_groups_are_compared(self):
        folder = self.folder()
        for name in "abc":
            self.run_ok([pit_case.program("prog_export"), os.path.join(folder, name + ".pit"), "rich"])
        b = self.open_list(self.serve(folder), 3)
        for number in (0, 1):
            b.run("document.querySelectorAll('.pick .btn')[arguments[0]].click()", number)
        self.assertEqual(b.run("return document.querySelector('.runs .right').textContent"), "Compare A with B")
        b.run("document.querySelectorAll('.pick .btn')[2].click()")
        self.assertEqual(b.run("return document.querySelector('.runs .right').textContent"), "Compare A with B (2 runs)")
        self.click(".runs .right a")
        b.wait(READY)
        text = b.run("return document.querySelector('.ab').innerText")
        self.assertIn("wall time", text)
        self.again()
        self.assertEqual(b.run("return document.querySelector('.ab').innerText"), text)
        self.click(".ab .right a")
        b.wait("return document.querySelector('main[data-ready]') && !document.querySelector('.ab')")

    def test_the_ranks_of_a_job_are_shown_together(self):
        folder = self.folder()
        for rank in (1, 0):
            self.run_ok([pit_case.program("prog_export"), os.path.join(folder, "%d.pit" % rank), "rich"],
                        env=pit_case.clean_env(SLURM_JOB_ID="77", SLURM_PROCID=rank, SLURM_NTASKS=2))
        b = self.open_list(self.serve(folder), 2)
        self.click(".runlist .job a")
        b.wait(READY)
        self.assertEqual(b.run("return document.querySelectorAll('.rk .row').length"), 2)
        b.run("document.querySelectorAll('.tree [data-i]')[0].click()")
        b.run("location.hash += '&q=e'")
        b.wait("return document.querySelector('.search input').value === 'e'")
        self.assertEqual(b.run("return document.querySelectorAll('.rk .row').length"), 2, "panels stay")

    def test_a_run_that_is_killed_says_where_without_a_reload(self):
        folder = self.folder()
        child = self.live(os.path.join(folder, "live.pit"), "nodes=2", "begin=outer", "begin=inner")
        b = self.open_list(self.serve("--refresh", "0", folder), 1)
        self.click(".runlist a")
        b.wait("return document.querySelector('main[data-ready] .tree .op') && document.querySelector('.pill.live') !== null")
        b.run("window.same = 1")
        first = b.run("return +document.querySelector('main').dataset.ready")
        b.wait("return +document.querySelector('main').dataset.ready > arguments[0] + 1", first)
        self.kill(child)
        b.wait("return document.querySelector('.pill.died') !== null")
        text = b.run("return document.querySelector('.diedat').innerText")
        self.assertIn("outer", text)
        self.assertIn("inner", text)
        self.assertEqual(b.run("return window.same"), 1)

    def wait_for_answers(self, path):
        """Until the server has answered two more questions."""
        b = self.browser
        b.run("performance.setResourceTimingBufferSize(1e6)")  # else it ends with the 250th answer
        count = "return performance.getEntriesByType('resource').filter(e => e.name.includes(arguments[0]) && e.responseEnd).length"
        before = b.run(count, path)
        b.wait(count + " >= arguments[1]", path, before + 2)

    def test_a_repaint_takes_no_click_no_focus_and_nothing_that_was_opened_away(self):
        folder = self.folder()
        self.live(os.path.join(folder, "live.pit"), "nodes=2", "begin=outer")
        b = self.open_list(self.serve("--refresh", "0", folder), 1)
        release = {"type": "pointerUp", "button": 0}
        b.run("document.querySelector('.pick .btn').focus(); window.button = document.activeElement")
        self.wait_for_answers("/runs")
        self.assertTrue(b.run("return document.activeElement === window.button && window.button.isConnected"))
        b.press_on(".runlist a")
        self.wait_for_answers("/runs")
        b.mouse(release)
        b.wait(READY)
        b.run("document.querySelector('.detail details').open = true")
        b.run("document.querySelector('.tree').scrollIntoView({block: 'center'})")
        b.press_on(".tree [data-i] .x")
        self.wait_for_answers("/live")
        b.mouse(release)
        b.wait("return location.hash.includes('node=')")
        self.wait_for_answers("/live")
        self.assertTrue(b.run("return document.querySelector('.detail details').open"))

    def test_a_worker_that_its_parent_ended_is_not_among_the_dead(self):
        folder = self.folder()
        parent = self.start([pit_case.program("prog_sub_runs"), "workers", os.path.join(folder, "parent.pit")],
                            stdin=subprocess.PIPE)
        self.assertEqual(parent.stdout.readline(), b"ready\n")
        b = self.open_list(self.serve("--refresh", "0", folder), 3)
        pills = "return [...document.querySelectorAll('.runlist .pill')].map(e => e.textContent)"
        self.assertEqual(b.run(pills), ["died", "live", "ended"])
        b.run("document.querySelectorAll('.runlist a')[2].click()")
        b.wait(READY)
        self.assertEqual(b.run("return document.querySelector('.pill').textContent"), "ended")
        self.assertIn("ended by its parent", b.run("return document.querySelector('.meta').textContent"))
        self.assertEqual(b.run("return document.querySelectorAll('.diedat').length"), 0)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
