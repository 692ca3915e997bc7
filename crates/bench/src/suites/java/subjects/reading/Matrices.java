package reading;

import cern.colt.matrix.DoubleMatrix2D;
import cern.colt.matrix.impl.DenseDoubleMatrix2D;
import cern.colt.matrix.impl.SparseDoubleMatrix2D;
import cern.colt.matrix.linalg.Algebra;
import org.la4j.Matrix;
import org.la4j.Vector;
import org.la4j.decomposition.CholeskyDecompositor;
import org.la4j.decomposition.EigenDecompositor;
import org.la4j.linear.JacobiSolver;
import org.la4j.linear.LeastSquaresSolver;
import org.la4j.linear.SquareRootSolver;

/** The subjects of Table 7, each over the elements of a matrix of SIZE rows, and a vector where one is needed. */
public final class Matrices {
    private Matrices() {}

    private static final int SIZE = 3;

    private static Matrix matrix(double[] all) {
        double[][] rows = rows(all);
        return Matrix.from2DArray(rows);
    }

    private static double[][] rows(double[] all) {
        double[][] rows = new double[SIZE][SIZE];
        for (int i = 0; i < SIZE; i++) for (int k = 0; k < SIZE; k++) rows[i][k] = all[SIZE * i + k];
        return rows;
    }

    private static Vector vector(double[] all) {
        double[] v = new double[SIZE];
        for (int k = 0; k < SIZE; k++) v[k] = all[SIZE * SIZE + k];
        return Vector.fromArray(v);
    }

    private static DoubleMatrix2D dense(double[] all) {
        return new DenseDoubleMatrix2D(rows(all));
    }

    public static Object eigen(double[] all) {
        return new EigenDecompositor(matrix(all)).decompose();
    }

    public static Object jacobi(double[] all) {
        return new JacobiSolver(matrix(all)).solve(vector(all));
    }

    public static Object cholesky(double[] all) {
        return new CholeskyDecompositor(matrix(all)).decompose();
    }

    public static Object leastSquares(double[] all) {
        return new LeastSquaresSolver(matrix(all)).solve(vector(all));
    }

    public static Object squareRoot(double[] all) {
        return new SquareRootSolver(matrix(all)).solve(vector(all));
    }

    public static Object coltEigen(double[] all) {
        return new cern.colt.matrix.linalg.EigenvalueDecomposition(dense(all));
    }

    public static Object multiply(double[] all) {
        return new Algebra().mult(dense(all), dense(all));
    }

    /** A sparse matrix looks at each element: a zero is not stored. */
    public static Object multiplySparse(double[] all) {
        DoubleMatrix2D sparse = new SparseDoubleMatrix2D(rows(all));
        return new Algebra().mult(sparse, sparse);
    }

    public static int rank(double[] all) {
        return new Algebra().rank(dense(all));
    }

    public static Object singular(double[] all) {
        return new cern.colt.matrix.linalg.SingularValueDecomposition(dense(all));
    }

    public static String decompositions(double[] all) {
        return new Algebra().toVerboseString(dense(all));
    }
}
