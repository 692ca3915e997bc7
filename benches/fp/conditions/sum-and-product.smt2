; Two coupled equations.
(set-logic QF_FP)
(declare-const x Float64)
(declare-const y Float64)
(assert (fp.eq (fp.add RNE x y) ((_ to_fp 11 53) RNE 10.0)))
(assert (fp.eq (fp.mul RNE x y) ((_ to_fp 11 53) RNE 21.0)))
(check-sat)
