"""Recorders: open and close, read and report, and the files of worker processes."""

import html
import json
import os
import sys

from . import _pitwall
from ._pitwall import Error, _job_paths, _journal, _ranks, _read, _report, _status, span as _span

# Where a worker process that was not forked finds the run of its parent, and that run's id.
_PARENT = "PITWALL_PARENT_RUN"
_PARENT_ID = "PITWALL_PARENT"
_outer_id = os.environ.get(_PARENT_ID)  # of the run that this process was started below


def _open(
    is_default, path, in_memory, memory, record, ring_bytes, max_bytes, record_bytes, sample_hz,
    sample_stacks, labels
):
    flags = (_pitwall.MEMORY if memory else 0) | (_pitwall.RECORD if record else 0)
    texts = ["%s=%s" % (key, value) for key, value in dict(labels or {}).items()]
    sizes = []
    for what, size in (
        ("ring_bytes", ring_bytes),
        ("max_bytes", max_bytes),
        ("record_bytes", record_bytes),
    ):
        if size is False and what == "ring_bytes":
            size = 2**64 - 1  # none at all
        if not isinstance(size, int) or not 0 <= size < 2**64:
            raise ValueError("%s must be a number of bytes, not %r" % (what, size))
        sizes.append(size)
    stacks = 0.0 if sample_stacks is None else float(sample_stacks) or -1.0  # 0 means none here
    return _pitwall._open(
        path, is_default, bool(in_memory), *sizes, float(sample_hz), stacks, flags, texts
    )


def open(
    path=None,
    *,
    in_memory=False,
    memory=False,
    record=False,
    ring_bytes=0,
    max_bytes=0,
    record_bytes=0,
    sample_hz=0.0,
    sample_stacks=None,
    labels=None,
):
    """Open the process's recorder, into the file at `path`; it comes back as a Recorder.

    Without a path: PITWALL_FILE, or a file in pitwall-runs/. In a path %p is the pid, %r the rank,
    %h the host; a file that exists is never touched: the run goes to one beside it. Options:
    in_memory, memory and record (for every span), ring_bytes (False: no flight recorder), max_bytes,
    record_bytes, sample_hz (negative: no sampler), sample_stacks (looks a second at where the main
    thread is, 10 unless PITWALL_SAMPLE_STACKS says otherwise; 0: none), labels (a dict).

    Error: there is one open already, or the file cannot be made (then recording goes on in memory).
    A recorder that a span opened by itself makes way. Nothing happens where PITWALL=0 is set.
    """
    _open(True, path, in_memory, memory, record, ring_bytes, max_bytes, record_bytes, sample_hz,
          sample_stacks, labels)
    state = _status(None)
    if state.get("path"):
        os.environ[_PARENT] = os.path.abspath(state["path"])
        os.environ[_PARENT_ID] = state["run_id"]
    return Recorder._default()


def close():
    """Close the process's recorder. A program that ends closes it by itself."""
    os.environ.pop(_PARENT, None)
    if _outer_id is None:
        os.environ.pop(_PARENT_ID, None)
    else:
        os.environ[_PARENT_ID] = _outer_id
    _pitwall._close(None)


def status():
    """How the recorder does: recording, place, path, bytes, code and its text."""
    return _status(None)


def _path_of_worker():
    """The run of a worker process that multiprocessing spawned, beside its parent's; None if this is
    no such process. A forked one is the library's affair."""
    parent = os.environ.get(_PARENT)
    if not parent or not _is_worker():
        return None
    stem, suffix = os.path.splitext(parent)
    return "%s-spawn%d%s" % (stem.replace("%", "%%"), os.getpid(), suffix.replace("%", "%%"))


def _close_at_end():
    """multiprocessing's workers end by os._exit, at which nothing closes their run."""
    try:
        _pitwall._close(None)
    except Error:
        pass  # it recorded nothing, or has closed it itself


def _close_with_worker(util):
    util.Finalize(None, _close_at_end, exitpriority=-100)


def _is_worker():
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


_told = False  # that multiprocessing knows of us


def _tell_multiprocessing():
    """It may be imported at any time before the first fork; a worker may import us at any time."""
    global _told
    util = sys.modules.get("multiprocessing.util")
    if util is None or _told:
        return
    _told = True
    util.register_after_fork(util, _close_with_worker)  # runs as a worker starts, spawned ones too
    if _is_worker():
        _close_with_worker(util)


_tell_multiprocessing()
os.register_at_fork(before=_tell_multiprocessing)


def _refuse_copy(self):
    """What belongs to this process is neither copied nor sent to another one."""
    raise TypeError("cannot copy or pickle a %s: it belongs to this process"
                    % type(self).__name__.lstrip("_"))


class _RecorderSpan:
    """A span of a recorder of one's own."""

    def __init__(self, recorder, name):
        self._recorder, self.name, self._open, self.elapsed = recorder, name, None, float("nan")

    @property
    def is_open(self):
        """Whether it has begun and not ended."""
        return self._open is not None

    def begin(self):
        """Begin it now, and give it back."""
        if self._open is not None:
            raise Error("span '%s' is open already" % self.name)
        self._open = _pitwall._recorder_begin(self._recorder, self.name)
        return self

    def end(self):
        """End it; the seconds it took."""
        if self._open is None:
            raise Error("span '%s' is not open: it was ended already, or never begun" % self.name)
        opened, self._open = self._open, None
        self.elapsed = _pitwall._recorder_end(self._recorder, *opened)
        return self.elapsed

    __enter__ = begin

    def __exit__(self, *error):
        self.end()

    __reduce__ = _refuse_copy

    def __repr__(self):
        how = "open" if self.is_open else "not begun" if self.elapsed != self.elapsed else "ended"
        return "<span %r of a recorder, %s>" % (self.name, how)


class Recorder:
    """A recorder beside the process's own, with the options of pitwall.open.

        with pitwall.Recorder("part.pit") as part:
            with part.span("load"): ...
    """

    def __init__(
        self,
        path=None,
        *,
        in_memory=False,
        memory=False,
        record=False,
        ring_bytes=0,
        max_bytes=0,
        record_bytes=0,
        sample_hz=0.0,
        sample_stacks=None,
        labels=None,
    ):
        self._is_default = False
        self._capsule = _open(
            False, path, in_memory, memory, record, ring_bytes, max_bytes, record_bytes, sample_hz,
            sample_stacks, labels,
        )
        self._closed = False

    @classmethod
    def _default(cls):
        self = cls.__new__(cls)
        self._is_default, self._capsule, self._closed = True, None, False
        return self

    def span(self, name):
        """A span in this recorder."""
        if self._is_default:
            return _span(name)
        if not isinstance(name, str):
            raise TypeError("a name must be a str, not %s" % type(name).__name__)
        return _RecorderSpan(self._capsule, name)

    @property
    def status(self):
        """As pitwall.status."""
        if self._capsule is None and not self._is_default:
            return {"recording": False, "code": _pitwall.PIT_OFF, "text": "PITWALL=0"}
        return _status(self._capsule)

    @property
    def path(self):
        """The run file; '' in memory."""
        return self.status.get("path", "")

    @property
    def recording(self):
        """Whether it records now."""
        return self.status["recording"]

    def close(self):
        """Stop recording. Error if it is closed already."""
        if self._closed:
            raise Error("close: this recorder is closed already")
        self._closed = True
        if self._is_default:
            if self.recording:
                close()
        elif self._capsule is not None:
            _pitwall._close(self._capsule)

    def read(self, alone=False):
        """As pitwall.read, of what is in it now."""
        return Run(self._source(), alone)

    def report(self, **options):
        """As pitwall.report."""
        return report(self, **options)

    def _source(self):
        if self._capsule is None and not self._is_default:
            raise Error("nothing was recorded: PITWALL=0")
        return self._capsule

    def __enter__(self):
        return self

    def __exit__(self, *error):
        if not self._closed:
            self.close()

    __reduce__ = _refuse_copy

    def __repr__(self):
        state = self.status
        how = "recording" if state["recording"] else "closed"
        return "<pitwall.Recorder %r, %s>" % (state.get("path", ""), how)


class Run(dict):
    """A run as plain data, as read() gives it. In a notebook it shows itself as the page."""

    def __init__(self, source, alone=False):
        super().__init__(_read(source, bool(alone)))
        self._source = source

    def _repr_html_(self):
        """The page of the run, in a frame that can reach neither the notebook nor the network."""
        page = _report([self._source], "html", {}, True)
        return (
            '<iframe sandbox="allow-scripts" style="width:100%%;height:800px;border:0" '
            'title="Pitwall" srcdoc="%s"></iframe>' % html.escape(page)
        )

    def __reduce__(self):
        return dict, (dict(self),)


class Report(str):
    """A report: a string. In a notebook, and at the prompt, it shows itself as the text that it is."""

    __slots__ = ()

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        return (
            '<pre style="white-space:pre;overflow-x:auto;line-height:1.25;'
            'font-family:\'DejaVu Sans Mono\',Menlo,Consolas,monospace">%s</pre>'
            % html.escape(str(self))
        )

    def __reduce__(self):
        return str, (str(self),)


def read(path, alone=False):
    """A run as plain data: facts, nodes (a list of rows, good for pandas.DataFrame), threads,
    samples, places, journal, losses, and the same of each sub-run in sub_runs, at any depth: workers and
    other processes that it started (None: a recorder in memory, they had no file to leave; not there
    with alone=True). Keys have their unit (_ns, _bytes, _per_s; pitwall.fields() lists those of a
    row), None is what is not available."""
    if isinstance(path, Recorder):
        return path.read(alone)
    if path is None:
        raise TypeError("a run is read from a path; pitwall.read_live() reads this process")
    return Run(path, alone)


def ranks(*paths, job=None):
    """The ranks of one job as plain data: who makes the others wait. Paths are run files or folders; of
    several jobs the newest is taken, or the one of that name (`pitwall list` names them, and so does
    the key jobs). rows has a dict a rank, the most work first (pitwall.fields("rank") lists its keys);
    findings what stands out, the first is the verdict; efficiency is balance times communication. None
    is what is not available. Each file is read, merged and let go."""
    files = []
    for path in paths:
        files += _runs_in(path) if os.path.isdir(path) else [path]
    if not files:
        raise TypeError("ranks are read from run files or folders")
    table, findings, names = _ranks([os.fsencode(path) for path in files], job)
    document = json.loads(table)
    document["findings"] = json.loads(findings)["rows"]
    document["jobs"] = names
    return document


def read_live(alone=False):
    """As read, of this process's recorder as it is now."""
    return Run(None, alone)


_FORMS = {"text": 0, "json": 1, "csv": 2, "markdown": 3}


def _runs_in(folder):
    """All runs of a folder, as the tool takes them."""
    paths = [os.path.join(folder, name) for name in sorted(os.listdir(folder))
             if name.endswith(".pit") and not name.startswith(".")]
    if not paths:
        raise Error("%s: no *.pit in it" % folder)
    return paths


def _sources(runs, job=None):
    found = []
    for run in runs:
        if isinstance(run, Recorder):
            found.append(run._source())
        elif run is None:
            raise TypeError("a run is read from a path; without any it is this process's")
        else:
            path = os.fsdecode(run)
            found += _runs_in(path) if os.path.isdir(path) else [path]
    if found and all(isinstance(run, str) for run in found):
        found = _job_paths([os.fsencode(run) for run in found], job) or found
    elif job is not None:
        raise TypeError("a job is one of run files")
    return found or [None]


def report(
    *runs, view=None, form="text", alone=False, job=None, width=0, colour=False, ascii=False,
    **options
):
    """A report as text, which a notebook shows as it is: of this process, or of the runs given (paths, folders of them, or Recorders),
    merged; what they started, workers above all, beneath it.

    view: one of pitwall.views(), in place of the report. form: text, json, csv, markdown. alone: without
    the processes beneath the run. job: of ranks of several jobs this one, else the newest. width: columns, 40 to 10000; 0: as wide as it needs. colour, ascii.

    options: those of the view, which pitwall.view_options(view) lists; of the report itself flat, sort,
    depth and min_share (a share, 0 to 1). None is as if it were not given.
    """
    if form not in _FORMS:
        raise ValueError("form must be one of %s, not %r" % (", ".join(_FORMS), form))
    options.update(
        view=view, form=_FORMS[form], width=width, colour=bool(colour), ascii=bool(ascii)
    )
    is_alone = bool(alone or view or form in ("csv", "markdown"))
    text = _report(_sources(runs, job), None, options, is_alone)
    return Report(text) if form in ("text", "markdown") else text


def export(*runs, format):
    """A whole document of this process's run, or of those given: csv, json, html, chrome-trace, …"""
    if format not in _pitwall._exports():
        known = ", ".join(_pitwall._exports())
        raise ValueError("format must be one of %s, not %r" % (known, format))
    return _report(_sources(runs), format, {}, True)


def journal(kind, text="", figures=None, units=None, wall=None):
    """Keep an entry in the run's journal: what happened once, with its figures (a dict)."""
    units = units or {}
    rows = [(key, float(number), units.get(key)) for key, number in dict(figures or {}).items()]
    _journal(kind, text, rows, 0 if wall is None else int(wall * 1e9))
