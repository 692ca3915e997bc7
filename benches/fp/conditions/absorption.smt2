; A number that is lost in a sum.
(set-logic QF_FP)
(declare-const x Float64)
(declare-const y Float64)
(assert (not (fp.isZero y)))
(assert (not (fp.isNaN y)))
(assert (fp.isZero (fp.sub RNE x x)))
(assert (fp.eq (fp.add RNE x y) x))
(check-sat)
