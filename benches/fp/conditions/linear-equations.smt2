; Three linear equations.
(set-logic QF_FP)
(declare-const x Float64)
(declare-const y Float64)
(declare-const z Float64)
(assert (fp.eq (fp.add RNE (fp.add RNE x y) z) ((_ to_fp 11 53) RNE 6.0)))
(assert (fp.eq (fp.add RNE (fp.mul RNE ((_ to_fp 11 53) RNE 2.0) y) (fp.mul RNE ((_ to_fp 11 53) RNE 5.0) z)) (fp.neg ((_ to_fp 11 53) RNE 4.0))))
(assert (fp.eq (fp.sub RNE (fp.add RNE (fp.mul RNE ((_ to_fp 11 53) RNE 2.0) x) (fp.mul RNE ((_ to_fp 11 53) RNE 5.0) y)) z) ((_ to_fp 11 53) RNE 27.0)))
(check-sat)
