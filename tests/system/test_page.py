"""The page in a real browser, from a file on disk: opened, folded, searched, sorted, zoomed, printed; by
mouse and by keyboard; names never become markup; and the page loads nothing from elsewhere."""

import hashlib
import html
import json
import lzma
import os
import re
import sys
import unittest
from base64 import b64encode

import browser
import pit_case
import stub_sysfs
from places import Case, read

sys.path.insert(0, os.path.join(pit_case.source_dir(), "scripts"))
import page_assets  # noqa: E402

# Runs of 1 and of 6 threads, each of which waits for its data most of the time: 60 times a span "batch" with
# "data_loading", a sleep of 4 ms, and "forward", one of 1 ms. Recorded, because a program that is stopped inside
# "forward" gets other advice.
LOADING = os.path.join(pit_case.source_dir(), "tests", "data", "loading")
PLANTED = os.path.join(pit_case.source_dir(), "tests", "data", "planted")
READY = "return document.querySelector('main[data-ready]') !== null"
NAMES = "return [...document.querySelectorAll('.tree [data-i] .x')].map(e => e.textContent)"
HOSTILE = ["top", "<img src=x onerror=\"window.hit=1\">", "</script><script>window.hit=1</script>",
           "<!--<script>", "\u2028line\u2029end", "&lt;b&gt;", "'\";window.hit=1//", "]]>",
           "javascript:window.hit=1", "\u202eevil", "{{1}}", "a/b\\c", "x" * 3000, "<svg/onload=window.hit=1>",
           "\x1b[31mred", " ", "a\u2066b\u2069"]
# Characters that are invisible or would reorder the text after them, as the terminal's reports escape them.
HIDDEN = re.compile("[\x00-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]")


def visible(name):
    """As the page shows it."""
    return HIDDEN.sub(lambda c: "\\u%04x" % ord(c.group()), name) if name.strip() else '"%s"' % name


def column(columns, key, rows):
    """A column of the document as a list."""
    cells = columns[key]
    if isinstance(cells, list):
        return cells
    return column(columns, cells["same"], rows) if "same" in cells else [cells["all"]] * rows


class PageCase(Case):
    browser = None

    @classmethod
    def setUpClass(cls):
        reason = browser.missing()
        if reason:
            raise unittest.SkipTest(reason)
        cls.browser = browser.Browser()

    @classmethod
    def tearDownClass(cls):
        if cls.browser:
            cls.browser.close()

    def run_of(self, what, status=0, **options):
        path = os.path.join(self.folder(), what.split("=")[0] + ".pit")
        self.run_status(status, [pit_case.program("prog_export"), path, what], **options)
        return path

    def page_of(self, *runs):
        out = os.path.join(self.folder(), "page.html")
        self.run_ok([pit_case.tool(), "report", *runs, "--html", "-o", out])
        return out

    def show(self, path, hash_=""):
        b = self.browser
        b.open("about:blank")
        b.requests()
        b.log("browser")
        b.open("file://" + path + hash_)
        b.wait(READY)
        return b

    def rows(self):
        return self.browser.run(NAMES)


class Document(Case):
    """The content of the file, without a browser."""

    def made(self, what, *more, status=0):
        path = os.path.join(self.folder(), "run.pit")
        self.run_status(status, [pit_case.program("prog_export"), path, what])
        out = os.path.join(self.folder(), "page.html")
        self.run_ok([pit_case.tool(), "report", path, *more, "--html", "-o", out])
        return path, read(out).decode("utf-8")

    def data(self, text, name="data"):
        return json.loads(re.search('id="%s">(.*?)</script>' % name, text, re.S).group(1))

    def test_report_and_export_write_the_same_bytes(self):
        path, text = self.made("rich")
        done = self.run_ok([pit_case.tool(), "export", path, "--format", "html"])
        self.assertEqual(done.stdout, text)

    def test_its_figures_are_those_of_the_report(self):
        path, text = self.made("rich")
        document = self.data(text)
        report = json.loads(self.run_ok([pit_case.tool(), "report", path, "--json"]).stdout)
        nodes, columns = report["nodes"], document["nodes"]["columns"]
        self.assertEqual(document["nodes"]["count"], len(nodes))
        for field in document["fields"]:
            key = field["key"]
            for cell, node in zip(column(columns, key, len(nodes)), nodes):
                if isinstance(node[key], float) or isinstance(cell, float):
                    self.assertAlmostEqual(cell, node[key], delta=1e-5 * abs(node[key]) + 0.51, msg=key)
                else:
                    self.assertEqual(cell, node[key], key)
        self.assertEqual(document["summary"]["spans"], report["summary"]["spans"])
        self.assertEqual(document["summary"]["headline"], report["summary"]["headline"])
        self.assertEqual([f["rule"] for f in document["advice"]["findings"]],
                         [f["rule"] for f in report["advice"]["findings"]])

    def course(self, text, name):
        """The slices of the node of that name that is repeated most: (count, min, p50, max) of each."""
        document = self.data(text)
        series, nodes = document["series"], document["nodes"]["columns"]
        node = max((i for i, own in enumerate(nodes["name"]) if own == name), key=lambda i: nodes["count"][i])
        listed = column(series, "node", None)
        lengths = column(series, "length", len(listed))
        first = sum(lengths[:listed.index(node)])
        rows = [column(series, key, sum(lengths)) for key in ("count", "min_ns", "p50_ns", "max_ns")]
        return list(zip(*rows))[first:first + lengths[listed.index(node)]]

    def test_percentiles_along_the_run_are_there_where_every_span_was_kept(self):
        slices = self.course(self.made("rich")[1], "inner")
        self.assertEqual(sum(count for count, _, _, _ in slices), 56)
        for _, low, middle, high in slices:
            self.assertTrue(low <= middle + 1 and middle <= high + 1)
        self.assertIsNone(self.course(self.made("dropped")[1], "inner")[0][2])

    def test_the_policy_names_the_hashes_of_all_that_is_in_it(self):
        _, text = self.made("rich")
        policy = re.search('Content-Security-Policy" content="([^"]*)"', text).group(1)
        self.assertTrue(policy.startswith("default-src 'none'; "), policy)
        self.assertNotIn("unsafe", policy)
        parts = re.findall("<script>(.*?)</script>", text, re.S)
        parts += re.findall('<script type="module">(.*?)</script>', text, re.S)
        parts += re.findall("<style>(.*?)</style>", text, re.S)
        self.assertEqual(len(parts), 3)
        for part in parts:
            digest = b64encode(hashlib.sha256(part.encode("utf-8")).digest()).decode()
            self.assertIn("'sha256-%s'" % digest, policy)

    def test_nothing_in_the_data_can_end_its_element_or_a_line(self):
        path = os.path.join(self.folder(), "run.pit")
        self.run_ok([pit_case.program("prog_export"), path, "names"], input="\0".join(HOSTILE) + "\0")
        text = self.run_ok([pit_case.tool(), "report", path, "--html"]).stdout
        data = text.split('id="data">', 1)[1].split("\n</script>", 1)[0]
        self.assertEqual([c for c in "<\u2028\u2029" if c in data], [])
        self.assertEqual(sorted(json.loads(data)["nodes"]["columns"]["name"]), sorted(HOSTILE))

    def test_two_runs_carry_their_comparison_and_one_does_not(self):
        path, text = self.made("rich")
        self.assertNotIn('id="comparison"', text)
        _, text = self.made("rich", path)
        comparison = self.data(text, "comparison")
        self.assertEqual(len(comparison["sides"]), 2)
        self.assertEqual(comparison["comparisons"][0]["verdict"], "none")

    def test_a_run_that_died_says_where(self):
        _, text = self.made("killed", status=-9)
        run = self.data(text)["runs"][0]
        self.assertEqual(run["state"], "died")
        names = [o["name"] for t in run["threads"] for o in t["open"] if not o["detached"]]
        self.assertEqual(names, ["epoch 3", "batch 417", "backward"])
        self.assertTrue(run["post_mortem"]["verdict"])

    def test_the_file_is_small(self):
        total = sum(len(data) for _, data in page_assets.assets(pit_case.source_dir()))
        self.assertLessEqual(total, 150 * 1024)
        _, text = self.made("nodes=10000")
        self.assertLessEqual(len(text.encode("utf-8")), 2 * 1024 * 1024)

    def test_what_is_sent_is_what_was_written_but_for_blanks_and_comments(self):
        source = 'import {\n    x,\n} from "./x.js";\nf();\nexport const a = "// no comment",  b = /[/ ]"/g; // one\n' \
                 "/* two\n lines */\nfor (const x of [1, 2,]) {\n    f(x + +a, x - -b);\n}\nif (a) b /= 2; else return `a  b`;\n"
        self.assertEqual(page_assets.strip_js(source),
                         'import {x}from"./x.js";\nf();\nexport let a="// no comment",b=/[/ ]"/g;for(let x of[1,2]){f(x+ +a,x- -b)}'
                         "if(a)b/=2;else return`a  b`;\n")
        modules = ["import {shown, kept} from './b.js';\nconst other = {kept: 1};\nshown(other.kept, kept);\n",
                   "export function shown(x) {}\nexport const kept = 2;\n"]
        self.assertEqual(page_assets.short_names(modules), {"shown": "$0", "other": "$1"})
        self.assertEqual(page_assets.strip_js(modules[0], {"shown": "$0"}),
                         "import {$0,kept}from'./b.js';\nlet other={kept:1};$0(other.kept,kept);\n")
        self.assertEqual(page_assets.strip_css("/* c */\na > b,\n.c :hover {\n    margin: 0 auto;\n    --b: 1px;\n}\n"),
                         "a>b,.c :hover{margin:0 auto;--b:1px}\n")
        seen = {}
        for name, data in page_assets.assets(pit_case.source_dir()):  # one file has them all in one scope
            if name.endswith(".js") and not name.startswith("uPlot"):
                for found in re.findall(r"^(?:export )?(?:async )?(?:function|class|const|let) (\w+)",
                                        read(os.path.join(pit_case.source_dir(), "web", name)).decode(), re.M):
                    self.assertNotIn(found, seen, "%s and %s" % (name, seen.get(found)))
                    seen[found] = name
        for name, data in page_assets.assets(pit_case.source_dir()):
            if name.startswith("uPlot"):
                self.assertEqual(data, read(os.path.join(pit_case.source_dir(), "web/vendor/uplot", name)))

    def test_a_page_never_takes_the_place_of_a_run(self):
        path, _ = self.made("rich")
        before = read(path)
        done = self.run_status(64, [pit_case.tool(), "report", path, "--html", "-o", path])
        self.assertIn("is one of the input runs", done.stderr)
        self.assertEqual(read(path), before)
        self.run_status(64, [pit_case.tool(), "report", path, "--html", "--json"])
        self.run_status(64, [pit_case.tool(), "report", path, "-o", path + ".txt"])


class Page(PageCase):
    def test_opens_from_disk_with_every_part_and_asks_for_nothing_else(self):
        path = self.page_of(self.run_of("rich"))
        b = self.show(path)
        self.assertEqual(b.requests(), ["file://" + path])
        self.assertEqual([line["message"] for line in b.log("browser")], [])
        heads = b.run("return [...document.querySelectorAll('h2')].map(e => e.textContent)")
        for head in ("Call tree", "Shape of the run", "Over time", "Chosen span", "Flight recorder"):
            self.assertIn(head, heads)
        self.assertEqual(len(b.run("return [...document.querySelectorAll('.figs dt')].map(e => e.textContent)")), 5)
        self.assertTrue(b.run("return document.querySelectorAll('.charts canvas').length") > 0)
        self.assertEqual(b.run("return document.title"), "prog_export · Pitwall")

    def test_every_missing_figure_says_why(self):
        b = self.show(self.page_of(self.run_of("killed", status=-9)), "#fold=%2B")
        why = b.run("return [...document.querySelectorAll('.tree .na')].map(e => e.title)")
        self.assertIn("none of its spans has ended", why)
        self.assertNotIn("", why)
        self.assertTrue(b.run("return document.querySelectorAll('.tree .num .e').length") > 0)

    def test_folds_by_mouse_and_keeps_it_in_the_link(self):
        path = self.page_of(self.run_of("rich"))
        b = self.show(path, "#fold=%2B")
        self.assertIn("inside", self.rows())
        b.click(".tree [aria-expanded] .cv svg")
        b.wait("return document.querySelector('.tree [aria-expanded]').getAttribute('aria-expanded') === 'false'")
        self.assertNotIn("plain", self.rows())
        link = b.run("return location.hash")
        self.show(path, link)
        self.assertNotIn("plain", self.rows())
        b.click(".hd .btn")  # Unfold all
        self.assertIn("plain", self.rows())

    def test_moves_and_folds_by_keyboard(self):
        b = self.show(self.page_of(self.run_of("rich")), "#fold=%2B")
        chosen = "return document.activeElement.dataset.i"
        outer = b.run("const e=document.querySelector('.tree [aria-expanded]'); e.focus(); return e.dataset.i")
        self.assertEqual(b.run(chosen), outer)
        b.press("ArrowDown")
        b.wait("return document.activeElement.getAttribute('aria-level') === '2'")
        b.press("ArrowLeft")  # folds it, if it has something inside
        if b.run(chosen) != outer:
            b.press("ArrowLeft")
        b.wait("return document.activeElement.dataset.i === '%s'" % outer)
        b.press("ArrowLeft")
        b.wait("return document.activeElement.getAttribute('aria-expanded') === 'false'")
        b.press("ArrowRight")
        b.wait("return document.activeElement.getAttribute('aria-expanded') === 'true'")
        b.press("Enter")
        b.wait("return document.activeElement.getAttribute('aria-selected') === 'true'")
        b.press("End")
        last = b.run("const all=[...document.querySelectorAll('.tree [data-i]')]; return all[all.length-1].dataset.i")
        self.assertEqual(b.run(chosen), last)

    def test_whatever_has_the_focus_shows_it(self):
        b = self.show(self.page_of(self.run_of("rich")))
        seen = []
        while len(seen) < 60:
            b.press("Tab")
            now = b.run("const e=document.activeElement, s=getComputedStyle(e); return [e.tagName, "
                        "e.getAttribute('aria-label') || e.textContent.slice(0, 20), s.outlineStyle, parseFloat(s.outlineWidth)]")
            if now[0] == "BODY":
                break
            seen.append(now)
        self.assertEqual([s for s in seen if s[2] != "solid" or s[3] < 2], [])
        tags = [s[0] for s in seen]
        for tag in ("A", "INPUT", "BUTTON", "TR", "SUMMARY", "CANVAS"):
            self.assertIn(tag, tags)
        self.assertEqual(tags.count("TR"), 1, "one stop for the tree: arrows move in it")

    def test_searches_from_the_keyboard_and_leaves_by_escape(self):
        b = self.show(self.page_of(self.run_of("rich")))
        whole = self.rows()
        b.press("/")
        b.wait("return document.activeElement.type === 'search'")
        b.type(".search input", "inner")
        b.wait("return location.hash.includes('q=inner')")
        self.assertEqual(b.run("return [...document.querySelectorAll('.tree [data-i]:not(.dim) .x')].map(e => e.textContent)"),
                         ["inner"] * len([n for n in self.rows() if n == "inner"]))
        self.assertIn("match", b.run("return document.getElementById('said').textContent"))
        b.press("Escape")
        b.wait("return !location.hash.includes('q=')")
        self.assertEqual(self.rows(), whole)

    def test_sorts_siblings_by_every_column(self):
        b = self.show(self.page_of(self.run_of("rich")), "#fold=%2B")
        b.click(".tree th.c-name button")
        b.wait("return document.querySelector('.tree th.c-name').getAttribute('aria-sort') === 'ascending'")
        level = ("return [...document.querySelectorAll('.tree [aria-level=\"2\"] .x')]"
                 ".map(e => e.textContent).slice(0, 3)")
        up = b.run(level)
        self.assertEqual(up, sorted(up))
        b.click(".tree th.c-name button")
        b.wait("return document.querySelector('.tree th.c-name').getAttribute('aria-sort') === 'descending'")
        self.assertEqual(b.run("return document.querySelector('.tree [aria-level=\"2\"] .x').textContent"),
                         max(b.run("return [...document.querySelectorAll('.tree [aria-level=\"2\"] .x')].map(e => e.textContent)")[:3]))
        b.click(".tree th.c-count button")
        b.wait("return location.hash.includes('sort=count:d')")

    def test_zooms_all_charts_at_once_and_comes_back(self):
        b = self.show(self.page_of(self.run_of("rich")))
        self.assertTrue(b.run("return [...document.querySelectorAll('.btn')].find(e => e.textContent === 'Whole run').hidden"))
        b.run("document.querySelector('.u-over').scrollIntoView({block: 'center'})")
        b.drag(".u-over", 0.25, 0.75)
        b.wait("return location.hash.includes('t=')")
        self.assertFalse(b.run("return [...document.querySelectorAll('.btn')].find(e => e.textContent === 'Whole run').hidden"))
        b.press("Escape")
        b.wait("return !location.hash.includes('t=')")

    def test_a_chosen_span_is_in_the_link_and_in_the_figures(self):
        path = self.page_of(self.run_of("rich"))
        b = self.show(path, "#node=step/plain")
        self.assertEqual(b.run("return document.querySelector('.tree .sel .x').textContent"), "plain")
        self.assertIn("step › plain", b.run("return document.querySelector('.detail').textContent"))
        b.click(".ice div[data-n]")
        b.wait("return !location.hash.includes('plain')")

    def test_the_share_that_advice_could_save_is_that_of_its_words(self):
        for threads in (1, 6):
            run = os.path.join(self.folder(), "run.pit")
            with lzma.open(os.path.join(LOADING, "%d.pit.xz" % threads)) as packed, open(run, "wb") as plain:
                plain.write(packed.read())
            b = self.show(self.page_of(run))
            said = b.run("return document.querySelector('.verdict .v').textContent")
            shares = re.findall(r"at most (\d+)", said)
            self.assertTrue(shares, said)
            self.assertEqual(b.run("return document.querySelector('.gain .n').firstChild.data"), shares[0], said)

    def test_shows_every_channel_when_asked(self):
        b = self.show(self.page_of(self.run_of("rich")), "#more=1")
        self.assertTrue(b.run("return document.querySelector('.more4').closest('details').open"))
        b.click("details summary")
        b.wait("return !location.hash.includes('more=')")

    def test_a_run_without_spans_says_so_and_a_damaged_one_says_that(self):
        empty, data = os.path.join(self.folder(), "empty.pit"), bytearray(read(self.run_of("rich")))
        data[8192:] = bytes(byte ^ 0x55 for byte in data[8192:])
        damaged = os.path.join(self.folder(), "damaged.pit")
        with open(damaged, "wb") as file:
            file.write(data)
        # Without readings there is no advice, such as that it had to wait for a processor.
        self.run_ok(["/usr/bin/python3", "-c", "import pitwall, sys; pitwall.open(sys.argv[1])", empty],
                    env=pit_case.clean_env(PYTHONPATH=os.path.join(pit_case.build_dir(), "python"),
                                           PITWALL_SAMPLE="0"))
        for path, words in ((empty, "No spans were recorded."), (damaged, "No spans can be read: part of the file is missing.")):
            b = self.show(self.page_of(path))
            self.assertEqual(b.run("return document.querySelector('.none').textContent"), words)
            self.assertEqual(b.run("return document.querySelector('.verdict .t').textContent"), words)

    def test_the_table_of_a_run_without_spans_does_not_repeat_the_advice(self):
        run = os.path.join(self.folder(), "run.pit")
        with lzma.open(os.path.join(PLANTED, "unmarked_search.quiet", "run.pit.xz")) as packed, \
                open(run, "wb") as plain:
            plain.write(packed.read())
        b = self.show(self.page_of(run))
        self.assertIn("unique_words.py", b.run("return document.querySelector('.verdict .t').textContent"))
        self.assertEqual(b.run("return document.querySelector('.none').textContent"), "No spans were recorded.")

    def test_shows_where_a_run_died(self):
        b = self.show(self.page_of(self.run_of("killed", status=-9)))
        text = b.run("return document.querySelector('.diedat').innerText")
        for word in ("Where it died", "epoch 3", "batch 417", "backward"):
            self.assertIn(word, text)
        self.assertEqual(b.run("return document.querySelector('.pill').textContent"), "died")
        self.assertIn("backward", b.run("return document.querySelector('.verdict').innerText"))

    def test_compares_two_runs(self):
        b = self.show(self.page_of(self.run_of("rich"), self.run_of("rich")))
        text = b.run("return document.querySelector('.ab').innerText")
        self.assertIn("no verdict", text.lower())
        self.assertIn("wall time", text)

    def test_rates_and_joules_of_a_comparison_are_no_times(self):
        b = self.show(self.page_of(self.energy_run(), self.energy_run(700)))
        rows = b.run("return [...document.querySelectorAll('.ab tbody tr')].map(r => [r.cells[0].textContent, r.cells[1].textContent])")
        told = dict(rows)
        self.assertEqual(told["energy"].replace("\u202f", " "), "500 J")
        self.assertRegex(told["items/s"].replace("\u202f", " "), r"^[0-9.]+( [kMG])?$")

    def energy_run(self, joules=500):
        """With a stand-in for the kernel's counters: its figures are not measured."""
        sysfs, run = stub_sysfs.StubSysfs(self.folder()), os.path.join(self.folder(), "energy.pit")
        sysfs.zone("intel-rapl:0", "package-0", 10**9)
        told = stub_sysfs.Told(self, run, sysfs)
        told.tell("begin epoch")
        told.tell("begin batch")
        told.tell("items 10")
        sysfs.set("intel-rapl:0", 10**9 + joules * 10**6)
        told.tell("end")
        told.tell("end")
        told.close()
        return run

    def test_energy_has_a_panel_with_how_each_figure_was_obtained(self):
        b = self.show(self.page_of(self.energy_run()))
        rows = b.run("return [...document.querySelectorAll('.devices tbody tr')].map(r => [...r.cells].map(c => c.textContent))")
        told = [[cell.replace("\u202f", " ") for cell in row] for row in rows]
        counter = next(row for row in told if row[0] == "package 0")
        self.assertEqual((counter[1], counter[4]), ("500 J", "measured by RAPL"))
        batch = next(row for row in told if row[0] == "epoch › batch")
        self.assertEqual((batch[1], batch[3], batch[6]), ("500 J", "50.0 J", "measured"))
        self.assertIn("a test’s figures", b.run("return document.querySelector('.devices').innerText"))
        self.assertIn("Energy", b.run("return [...document.querySelectorAll('.tree th')].map(e => e.textContent)"))
        b = self.show(self.page_of(self.run_of("rich")))
        self.assertEqual(b.run("return document.querySelectorAll('.devices').length"), 0)

    def test_figures_of_several_ranks_are_of_all_of_them(self):
        runs = []
        for rank in range(5):
            runs.append(os.path.join(self.folder(), "run.pit"))
            self.run_ok([pit_case.program("prog_export"), runs[-1], "rich"],
                        env=pit_case.clean_env(RANK=str(rank), WORLD_SIZE="5", PITWALL_JOB="one"))
        b = self.show(self.page_of(*runs))
        self.assertIn("Peak memory, largest", b.run("return document.querySelector('.figs').innerText"))
        charts = b.run("return [...document.querySelectorAll('.charts .ch')].map(e => e.innerText)")
        self.assertTrue(any("lowest" in c and "median" in c and "highest" in c and "5 ranks" in c for c in charts), charts)

    def test_what_a_run_is_called_never_becomes_markup(self):
        given = "\0".join(HOSTILE) + "\0"
        path = self.page_of(self.run_of("names", input=given))
        b = self.show(path, "#fold=%2B")
        self.assertEqual(b.run("return [window.hit === undefined, document.images.length, document.querySelectorAll('svg[onload]').length]"),
                         [True, 0, 0])
        self.assertEqual(sorted(self.rows()), sorted(map(visible, HOSTILE)))
        self.assertEqual(HIDDEN.findall(b.run("return document.body.innerText").replace("\n", "").replace("\t", "")), [])
        self.assertEqual(b.requests(), ["file://" + path])
        for i in range(len(HOSTILE)):
            b.run("document.querySelector('[data-i=\"%d\"]').click()" % i)
        b.type(".search input", "<img")
        b.wait("return location.hash.includes('q=')")
        self.assertEqual(b.run("return window.hit === undefined"), True)
        self.assertEqual([line["message"] for line in b.log("browser")], [])

    def test_hidden_characters_are_seen_wherever_a_name_is_shown(self):
        b = self.show(self.page_of(self.run_of("wide", input="\u202eevil\0\u2066leaf\0")), "#fold=%2B")
        text = b.run("return document.body.innerText")
        self.assertEqual(HIDDEN.findall(text.replace("\n", "").replace("\t", "")), [])
        self.assertEqual(b.run("return [...document.querySelectorAll('[data-n]')].map(e => e.textContent)"),
                         ["\\u202eevil", "\\u2066leaf"])
        b.run("document.querySelectorAll('.tree [data-i]')[1].click()")
        b.wait("return location.hash.includes('node=')")
        hash_ = b.run("return location.hash")
        b.reload()
        b.wait(READY)
        self.assertEqual(b.run("return location.hash"), hash_)
        self.assertEqual(b.run("return document.querySelector('.tree .sel .x').textContent"), "\\u2066leaf")

    def test_works_in_a_frame_without_origin_as_notebooks_show_it(self):
        outer = os.path.join(self.folder(), "notebook.html")
        with open(outer, "w", encoding="utf-8") as file:
            inner = read(self.page_of(self.run_of("rich"))).decode("utf-8")
            file.write('<!doctype html><iframe sandbox="allow-scripts" style="width:1200px;height:800px" '
                       'srcdoc="%s"></iframe>' % html.escape(inner))
        b = self.browser
        b.open("file://" + outer)
        b.enter("iframe")
        try:
            b.wait(READY)
            b.click(".tree th.c-count button")
            b.wait("return document.querySelector('.tree th.c-count').getAttribute('aria-sort') === 'descending'")
        finally:
            b.enter(None)

    def test_is_dark_where_the_system_is_and_light_on_paper(self):
        b = self.show(self.page_of(self.run_of("rich")))
        ground = "return getComputedStyle(document.body).backgroundColor"
        try:
            self.assertEqual(b.run(ground), "rgb(246, 247, 249)")
            b.media(dark=True)
            b.wait("return getComputedStyle(document.body).backgroundColor === 'rgb(14, 17, 22)'")
            b.media(dark=True, kind="print")
            b.wait("return getComputedStyle(document.body).backgroundColor === 'rgb(255, 255, 255)'")
        finally:
            b.media()

    def test_fits_screens_of_every_width(self):
        b = self.show(self.page_of(self.run_of("rich")), "#fold=%2B&more=1")
        seen = "return [...document.querySelectorAll('.tree th')].filter(e => e.offsetParent).map(e => e.className.split(' ')[0])"
        try:
            for width, gone in ((1440, []), (1200, ["c-mean_ns", "c-p99_ns"]), (1000, ["c-series"]),
                                (380, ["c-count", "c-total_ns", "c-p50_ns", "c-series"])):
                b.size(width, 900)
                b.wait("return innerWidth === %d" % width)
                columns = b.run(seen)
                self.assertIn("c-share", columns)
                self.assertEqual([c for c in gone if c in columns], [], width)
                # charts follow in the browser's next frame
                b.wait("return document.documentElement.scrollWidth <= innerWidth")
        finally:
            b.size(1440, 1000)

    def test_ten_thousand_nodes_are_in_reach_and_few_of_them_on_the_screen(self):
        b = self.show(self.page_of(self.run_of("nodes=10000")), "#fold=%2B")
        self.assertEqual(b.run("return document.querySelector('.tree').getAttribute('aria-rowcount')"), "10001")
        self.assertLess(b.run("return document.querySelectorAll('.tree [data-i]').length"), 200)
        b.run("document.querySelector('.tree [data-i]').focus()")
        b.press("End")
        b.wait("return [...document.querySelectorAll('.tree [data-i]')].some(e => e.getAttribute('aria-rowindex') === '10001')")
        b.type(".search input", "outer 999")
        b.wait("return location.hash.includes('q=outer')")
        self.assertIn("outer 999", self.rows())

    def test_long_names_stay_inside(self):
        name = "std::vector<std::map<std::string,std::shared_ptr<Foo>>>::operator()_" * 6
        folder = os.path.join(self.folder(), "y" * 200)
        os.mkdir(folder)
        run = os.path.join(folder, "run.pit")  # it is in the program's arguments too
        self.run_ok([pit_case.program("prog_export"), run, "names"], input="\0".join([name, "x" * 900, "leaf"]) + "\0")
        path = self.page_of(run)
        try:
            for width in (1440, 390):
                self.browser.size(width, 900)
                b = self.show(path, "#fold=%2B")
                # charts follow in the browser's next frame
                b.wait("return innerWidth === arguments[0] && document.documentElement.scrollWidth <= innerWidth", width)
                over = b.run("return [...document.querySelectorAll('.verdict .t, .verdict dd')].filter(e => e.scrollWidth > e.clientWidth).length")
                self.assertEqual(over, 0, width)
        finally:
            self.browser.size(1440, 1000)

    def test_readers_of_the_screen_get_roles_and_names(self):
        b = self.show(self.page_of(self.run_of("rich")))
        self.assertEqual(b.run("return document.documentElement.lang"), "en")
        self.assertEqual(b.run("return document.querySelector('.tree').getAttribute('role')"), "treegrid")
        nameless = b.run("return [...document.querySelectorAll('button,input,a,[role=img],canvas[tabindex]')].filter(e => e.offsetParent && "
                         "!(e.textContent.trim() || e.getAttribute('aria-label'))).map(e => e.outerHTML.slice(0, 80))")
        self.assertEqual(nameless, [])
        self.assertEqual(b.run("return document.querySelectorAll('main, header, footer').length"), 3)


if __name__ == "__main__":
    pit_case.main(plain_build_only=True)
