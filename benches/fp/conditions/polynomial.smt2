; Near a root of a polynomial of degree 5.
(set-logic QF_FP)
(declare-const x Float64)
(assert (fp.lt (fp.abs (fp.sub RNE (fp.mul RNE (fp.add RNE (fp.mul RNE (fp.sub RNE (fp.mul RNE (fp.add RNE (fp.mul RNE (fp.sub RNE x ((_ to_fp 11 53) RNE 3.0)) x) ((_ to_fp 11 53) RNE 1.0)) x) ((_ to_fp 11 53) RNE 7.0)) x) ((_ to_fp 11 53) RNE 2.0)) x) ((_ to_fp 11 53) RNE 5.0))) ((_ to_fp 11 53) RNE 0.000001)))
(check-sat)
