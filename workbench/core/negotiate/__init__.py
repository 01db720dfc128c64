"""Which era does this peer speak? Three files, read in this order.

`evidence` turns what happened into one sign, `table` says what each sign means in each
state, and `machine` applies the row. Facts and policy are apart on purpose: to change the
policy, change a row, and the diagrams and the proofs follow.

Spec: 2026-07-28 basic/transports/stdio "Backward compatibility", server/discover,
basic/versioning. Where the specification lets a client fall back on any odd answer, this
harness is stricter: an ambiguous signal fails closed, and only an operator's explicit
`allow_legacy` permits one bounded `initialize` (seed lesson, "A sonda de compatibilidade").
"""
