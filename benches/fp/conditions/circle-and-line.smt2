; Where a line meets a circle.
(set-logic QF_FP)
(declare-const x Float64)
(declare-const y Float64)
(assert (fp.eq (fp.add RNE (fp.mul RNE x x) (fp.mul RNE y y)) ((_ to_fp 11 53) RNE 25.0)))
(assert (fp.eq (fp.sub RNE x y) ((_ to_fp 11 53) RNE 1.0)))
(check-sat)
