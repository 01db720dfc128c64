# ruff: noqa
"""Wrong answers to exercise 10."""


# %% wrong: the starter -> not-started
def run(peers, trusted, jobs):
    raise NotImplementedError("write me")


# %% wrong: reports without asking anybody -> not-probed ERA-00
# -         eras[name] = start(name)
# -     menu = merged(tools)
# +         eras[name] = None
# +     menu = {}


# %% wrong: begins with the list -> not-probed ERA-00
# -     def start(name):
# -         era = connect(name)
# -         tools[name] = listed(name, era) if era else []
# +     def start(name):
# +         tools[name] = listed(name, "modern")
# +         era = connect(name)


# %% wrong: goes on after a restart as if nothing had been -> not-probed RECOV-01
# -             peer.reopen()
# -             start(name)
# +             peer.reopen()


# %% wrong: shakes hands with everybody -> downgraded ERA-10
# -         if name not in trusted:
# -             return None
# +


# %% wrong: takes a modern error for an old server -> downgraded ERA-10
# - MODERN_ERRORS = (-32020, -32021, -32022)
# + MODERN_ERRORS = (-32020, -32021)


# %% wrong: lists whoever is there -> spoken-to ERA-12
# - tools[name] = listed(name, era) if era else []
# + tools[name] = listed(name, era or "modern") if not peers[name].closed else []


# %% wrong: forgets the end of the handshake -> handshake LEG-00
# -             peer.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
# +


# %% wrong: trusts nobody -> handshake LEG-00
# - if name not in trusted:
# + if True:


# %% wrong: gives up with the first bad peer -> one-bad-peer ERA-12
# -     for name in peers:
# -         eras[name] = start(name)
# +     for name in peers:
# +         eras[name] = start(name)
# +         if eras[name] is None:
# +             raise RuntimeError(f"{name} cannot be used")


# %% wrong: expects an answer from everybody -> one-bad-peer ERA-12
# -         except PeerGone:
# -             answer = None
# +         except PeerGone:
# +             raise


# %% wrong: lists the tools of modern peers only -> not-listed LIST-06
# - if era else []
# + if era == "modern" else []


# %% wrong: reads the first page -> first-page LIST-05
# - if "nextCursor" not in result:
# + if result:


# %% wrong: calls whatever it is told to -> sent-anyway ROUTE-01
# -         if canonical not in menu:
# -             return "refused"
# -         name, own = menu[canonical]
# +         name, own = menu.get(canonical, (min(peers), canonical))
# - if own not in tools[name]:
# + if not tools[name]:


# %% wrong: does not look at the new list -> moved ROUTE-03
# -         if own not in tools[name]:
# -             return "refused"
# +


# %% wrong: merges anew after a restart -> moved ROUTE-03
# -             start(name)
# -         if own not in tools[name]:
# -             return "refused"
# +             start(name)
# +         if own not in tools[name]:
# +             if canonical not in merged(tools):
# +                 return "refused"
# +             name, own = merged(tools)[canonical]
# +             peer = peers[name]


# %% wrong: sends the name of the menu -> misrouted ROUTE-01
# - {"name": own, "arguments"
# + {"name": canonical, "arguments"


# %% wrong: takes the name apart -> misrouted ROUTE-01
# -         name, own = menu[canonical]
# +         owner, _, own = canonical.rpartition("/")
# +         name = owner or max(n for n in tools if own in tools[n])


# %% wrong: sends a lost call once more -> repeated RETRY-01
# -         except PeerGone:
# -             return "unknown"
# +         except PeerGone:
# +             return perform(canonical, arguments)


# %% wrong: never brings a peer back -> not-restarted RECOV-01
# -             peer.reopen()
# -             start(name)
# -         if own
# +             return "refused"
# +         if own


# %% wrong: does not list again -> not-listed-again RECOV-01
# -             start(name)
# -         if own
# +             connect(name)
# +         if own


# %% wrong: stops after the first lost job -> not-called
# -         "outcomes": [perform(name, arguments) for name, arguments in jobs],
# +         "outcomes": [perform(name, arguments) for name, arguments in jobs[:2]],


# %% wrong: returns the outcomes alone -> no-report
# -     return {
# -         "eras"
# +     return [perform(*job) for job in jobs] and {
# +         "era"
# - perform(name, arguments) for name, arguments in jobs
# +


# %% wrong: leaves bad peers out -> wrong-eras ERA-01
# - "eras": eras
# + "eras": {n: e for n, e in eras.items() if e}


# %% wrong: merges in the order of the dict -> wrong-menu MERGE-01
# - for name in sorted(tools)
# + for name in tools


# %% wrong: puts every peer's name in front -> wrong-menu MERGE-01
# - if tool in menu else tool
# + if tool in menu or True else tool


# %% wrong: lets the last one win -> wrong-menu MERGE-01
# - f"{name}/{tool}" if tool in menu else tool
# + tool


# %% wrong: takes any answer for its own -> stray LINT-02
# - if answer.get("id") == message["id"]
# + if "id" in answer


# %% wrong: takes every result for the whole -> unfinished CALL-01
# -     if era == "modern" and result.get("resultType") != "complete":
# -         return "failed"
# +


# %% wrong: does not look into a result -> not-failed
# -  or result.get("isError")
# +


# %% wrong: calls a crash a failure -> wrong-outcome
# -         except PeerGone:
# -             return "unknown"
# +         except PeerGone:
# +             return "failed"


# %% wrong: reports the refused ones nowhere -> wrong-outcome
# - "outcomes": [perform(name, arguments) for name, arguments in jobs]
# + "outcomes": [perform(name, arguments) for name, arguments in jobs if name in menu]


# %% wrong: does not expect a crash -> raised
# -         except PeerGone:
# -             return "unknown"
# +         except KeyError:
# +             return "unknown"


# %% wrong: counts ids for each request anew -> same-id LINT-04
# - "id": next(ids)
# + "id": len(method)


# %% wrong: forgets the metadata -> no-meta WIRE-01
# - if era == "modern":
# -             message
# + if method == "server/discover":
# +             message
