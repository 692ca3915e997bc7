; Two numbers that are near to each other.
(set-logic QF_FP)
(declare-const x Float64)
(declare-const y Float64)
(assert (fp.gt x ((_ to_fp 11 53) RNE 1.0)))
(assert (not (fp.eq x y)))
(assert (fp.lt (fp.abs (fp.sub RNE x y)) ((_ to_fp 11 53) RNE 0.000000001)))
(check-sat)
