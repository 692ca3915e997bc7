; The same square twice (z3#834).
(set-logic QF_FP)
(declare-const x Float64)
(define-fun y () Float64 (fp.add RNE x ((_ to_fp 11 53) RNE 0.0)))
(assert (fp.lt (fp.sub RNE (fp.mul RNE x x) (fp.mul RNE y y)) ((_ to_fp 11 53) RNE 0.0)))
(check-sat)
