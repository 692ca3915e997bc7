; A point on a circle of radius 13.
(set-logic QF_FP)
(declare-const x Float64)
(declare-const y Float64)
(assert (fp.gt x ((_ to_fp 11 53) RNE 1.0)))
(assert (fp.gt y ((_ to_fp 11 53) RNE 1.0)))
(assert (fp.eq (fp.sqrt RNE (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y))) ((_ to_fp 11 53) RNE 13.0)))
(check-sat)
