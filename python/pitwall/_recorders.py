"""Recorders: open and close, read and report, and the files of worker processes."""

import os
import sys

from . import _pitwall
from ._pitwall import Error, _job_paths, _journal, _ranks, _read, _report, _status, span as _span

# Environment variables from which a spawned worker reads its parent's run and that run's id.
_PARENT = "PITWALL_PARENT_RUN"
_PARENT_ID = "PITWALL_PARENT"
_outer_id = os.environ.get(_PARENT_ID)  # id of the run below which this process was started


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
    stacks = 0.0 if sample_stacks is None else float(sample_stacks) or -1.0  # 0 means none in this
                                                                             # argument
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
    """Open the process's recorder, which writes to the file `path`. Returns a Recorder.

    Without a path, the file is PITWALL_FILE, or a new one in pitwall-runs/. In a path, %p is the pid,
    %r the rank and %h the host. An existing file is never overwritten: the run gets another name.

    in_memory: do not write a file. memory, record: set these options for every span. ring_bytes:
    size of the flight recorder (False: none). max_bytes, record_bytes: limits of the file and of the
    kept records. sample_hz: rate of the sampler (negative: no sampler). sample_stacks: how often per
    second to sample where the main thread is (0: never; default: PITWALL_SAMPLE_STACKS, or 10).
    labels: a dict.

    Raises Error if a recorder is already open, or if the file cannot be created (recording then
    continues in memory). A recorder that the first span opened automatically is replaced. With
    PITWALL=0 the call does nothing.
    """
    _open(True, path, in_memory, memory, record, ring_bytes, max_bytes, record_bytes, sample_hz,
          sample_stacks, labels)
    state = _status(None)
    if state.get("path"):
        os.environ[_PARENT] = os.path.abspath(state["path"])
        os.environ[_PARENT_ID] = state["run_id"]
    return Recorder._default()


def close():
    """Close the process's recorder. This happens automatically when the program ends."""
    os.environ.pop(_PARENT, None)
    if _outer_id is None:
        os.environ.pop(_PARENT_ID, None)
    else:
        os.environ[_PARENT_ID] = _outer_id
    _pitwall._close(None)


def status():
    """The state of the recorder, as a dict: recording, storage, path, bytes, error code and its text."""
    return _status(None)


def _path_of_worker():
    """The run file of a worker that multiprocessing spawned, in the folder of its parent's run; None in
    any other process. The library itself handles forked workers."""
    parent = os.environ.get(_PARENT)
    if not parent or not _is_worker():
        return None
    stem, suffix = os.path.splitext(parent)
    return "%s-spawn%d%s" % (stem.replace("%", "%%"), os.getpid(), suffix.replace("%", "%%"))


def _close_at_end():
    """Close the run of a multiprocessing worker: these end with os._exit, which runs no exit handlers."""
    try:
        _pitwall._close(None)
    except Error:
        pass  # it recorded nothing, or was closed already


def _close_with_worker(util):
    util.Finalize(None, _close_at_end, exitpriority=-100)


def _is_worker():
    processes = sys.modules.get("multiprocessing.process")
    return processes is not None and processes.parent_process() is not None


_told = False  # True once we are registered with multiprocessing


def _tell_multiprocessing():
    """Register with multiprocessing, which the program may import before or after us."""
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
    """Refuse to be copied or pickled: the object is valid in this process only."""
    raise TypeError("cannot copy or pickle a %s: it belongs to this process"
                    % type(self).__name__.lstrip("_"))


class _RecorderSpan:
    """A span in a Recorder that is not the process's default."""

    def __init__(self, recorder, name):
        self._recorder, self.name, self._open, self.elapsed = recorder, name, None, float("nan")

    @property
    def is_open(self):
        """True between begin and end."""
        return self._open is not None

    def begin(self):
        """Begin the span; returns the span."""
        if self._open is not None:
            raise Error("span '%s' is already open" % self.name)
        self._open = _pitwall._recorder_begin(self._recorder, self.name)
        return self

    def end(self):
        """End the span; returns seconds."""
        if self._open is None:
            raise Error("span '%s' is not open: it has already ended, or was never begun" % self.name)
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
    """An additional recorder, independent of the process's default. Takes the options of pitwall.open.

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
        """The state of this recorder; see pitwall.status."""
        if self._capsule is None and not self._is_default:
            return {"recording": False, "code": _pitwall.PIT_OFF, "text": "PITWALL=0"}
        return _status(self._capsule)

    @property
    def path(self):
        """The path of the run file; '' if the run is in memory."""
        return self.status.get("path", "")

    @property
    def recording(self):
        """True while this recorder is recording."""
        return self.status["recording"]

    def close(self):
        """Stop recording. Raises Error if the recorder is already closed."""
        if self._closed:
            raise Error("close: this recorder is already closed")
        self._closed = True
        if self._is_default:
            if self.recording:
                close()
        elif self._capsule is not None:
            _pitwall._close(self._capsule)

    def read(self, alone=False):
        """What this recorder holds now, as plain data; see pitwall.read."""
        return Run(self._source(), alone)

    def report(self, **options):
        """A report of this recorder; see pitwall.report."""
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
    """A run as plain data, returned by read(). A notebook displays it as the HTML page."""

    def __init__(self, source, alone=False):
        super().__init__(_read(source, bool(alone)))
        self._source = source

    def _repr_html_(self):
        """The HTML page of the run, in a frame without access to the notebook or the network."""
        import html  # here: it takes longer to load than the whole package

        page = _report([self._source], "html", {}, True)
        return (
            '<iframe sandbox="allow-scripts" style="width:100%%;height:800px;border:0" '
            'title="Pitwall" srcdoc="%s"></iframe>' % html.escape(page)
        )

    def __reduce__(self):
        return dict, (dict(self),)


class Report(str):
    """A report, which is a string. A notebook and the interactive prompt display it as text, not as its repr."""

    __slots__ = ()

    def __repr__(self):
        return str(self)

    def _repr_html_(self):
        """The sentences before the first empty line are wrapped; the tables below them scroll."""
        import html

        verdict, _, rest = html.escape(str(self)).partition("\n\n")
        return (
            '<pre style="white-space:pre;overflow-x:auto;line-height:1.25;'
            'font-family:\'DejaVu Sans Mono\',Menlo,Consolas,monospace">'
            '<span style="white-space:pre-wrap;word-break:normal">%s</span>\n\n%s</pre>' % (verdict, rest)
        )

    def __reduce__(self):
        return str, (str(self),)


def read(path, alone=False):
    """Read a run as plain data: facts, nodes (a list of rows, ready for pandas.DataFrame), threads,
    samples, places, journal, losses.

    sub_runs holds the same for each process that the run started (workers and others), at any depth.
    It is None for a recorder in memory, whose workers write no file, and missing with alone=True.
    Keys end in their unit (_ns, _bytes, _per_s); pitwall.fields() lists the keys of a row. None means
    not available."""
    if isinstance(path, Recorder):
        return path.read(alone)
    if path is None:
        raise TypeError("a run is read from a path; pitwall.read_live() reads this process")
    return Run(path, alone)


def ranks(*paths, job=None):
    """The ranks of one job as plain data: which ranks make the others wait.

    paths: run files or folders. job: the name of the job, if there are several (`pitwall list` and the
    key jobs show the names); by default the newest. rows has one dict per rank, the rank with the most
    work first (pitwall.fields("rank") lists its keys). findings lists what is unusual; the first one
    is the verdict. efficiency is balance times communication. None means not available. Files are read
    one at a time, so memory does not grow with their number."""
    files = []
    for path in paths:
        files += _runs_in(path) if os.path.isdir(path) else [path]
    if not files:
        raise TypeError("ranks are read from run files or folders")
    table, findings, names = _ranks([os.fsencode(path) for path in files], job)
    import json

    document = json.loads(table)
    document["findings"] = json.loads(findings)["rows"]
    document["jobs"] = names
    return document


def read_live(alone=False):
    """Read this process's own recorder while it records; see read."""
    return Run(None, alone)


_FORMS = {"text": 0, "json": 1, "csv": 2, "markdown": 3}


def _runs_in(folder):
    """All runs in a folder, selected as in the tool."""
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
            raise TypeError("a run is read from a path; give no argument to report on this process")
        else:
            path = os.fsdecode(run)
            found += _runs_in(path) if os.path.isdir(path) else [path]
    if found and all(isinstance(run, str) for run in found):
        found = _job_paths([os.fsencode(run) for run in found], job) or found
    elif job is not None:
        raise TypeError("job= requires run files")
    return found or [None]


def report(
    *runs, view=None, form="text", alone=False, job=None, width=0, colour=False, ascii=False,
    **options
):
    """A report of this process, or of the given runs (paths, folders or Recorders), merged. Processes that
    the runs started, such as workers, follow below. Returns a str, which notebooks display as text.

    view: print this view (one of pitwall.views()) instead of the report. form: text, json, csv or
    markdown. alone: leave out the processes that the run started. job: if the runs are ranks of several
    jobs, the job to report on; by default the newest. width: 40 to 10000 columns; 0: as wide as needed.
    colour: use colour. ascii: use ASCII characters only.

    options: the options of the view; pitwall.view_options(view) lists them. Without a view: flat, sort,
    depth and min_share (a share from 0 to 1). An option that is None counts as not given.
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
    """Convert this process's run, or the given runs, to a format: csv, json, html, chrome-trace, …"""
    if format not in _pitwall._exports():
        known = ", ".join(_pitwall._exports())
        raise ValueError("format must be one of %s, not %r" % (known, format))
    return _report(_sources(runs), format, {}, True)


def _escaped(text):
    if not isinstance(text, str) or text.isascii():
        return text
    from . import _output  # only when needed: `import pitwall` loads little

    return _output.text_of(text)


def journal(kind, text="", figures=None, units=None, wall=None):
    """Add an entry to the run's journal: an event that happened once, with its figures (a dict)."""
    units = units or {}
    rows = [
        (_escaped(key), float(number), _escaped(units.get(key)))
        for key, number in dict(figures or {}).items()
    ]
    _journal(_escaped(kind), _escaped(text), rows, 0 if wall is None else int(wall * 1e9))
