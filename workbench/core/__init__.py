"""The pure core: values in, values out.

Nothing below this package does I/O, reads a clock, draws a random number or starts a
task; time, identifiers and chance arrive as arguments. Every decision about an era, a
listing, a merge, a route, an answer or a retry is made here, and two drivers move it:
the asyncio runtime and the notebook stepper.

Stage order::

    config -> negotiate -> listing (+cache) -> merge -> route -> call -> recover -> report

Each stage of some size is a package: `config`, `negotiate` (and `stepped`, what it shows),
`results` (pages and the cache), `menu` (names, merging, routing), `pins` (drift), `inputs`,
`recovery`; `journal`, `rulebook`, `wire` and `text` serve them all.

Source: design section 3.
"""
