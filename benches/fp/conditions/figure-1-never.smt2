; Fig. 1 of "Symbolic Execution of Floating-point Programs: How far are we?": the condition that nothing satisfies.
(set-logic QF_FP)
(declare-const c Float32)
(assert (fp.eq ((_ to_fp 11 53) RNE ((_ to_fp 8 24) RNE (fp.sub RNE ((_ to_fp 11 53) RNE c) ((_ to_fp 11 53) RNE 1.0)))) ((_ to_fp 11 53) RNE 1.1)))
(check-sat)
