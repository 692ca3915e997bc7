; The third root of 27.
(set-logic QF_FP)
(declare-const x Float64)
(assert (fp.eq (fp.mul RNE (fp.mul RNE x x) x) ((_ to_fp 11 53) RNE 27.0)))
(check-sat)
