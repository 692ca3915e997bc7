; Which byte has the square 16, and is odd in its upper half?
(set-logic QF_BV)
(declare-const x (_ BitVec 8))
(assert (= (bvmul x x) #x10))
(assert (= ((_ extract 4 4) x) #b1))
(check-sat)
(get-value (x))
