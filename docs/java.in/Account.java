public class Account {
    private int cents;

    public Account(int cents) {
        if (cents < 0) throw new IllegalArgumentException("no such balance");
        this.cents = cents;
    }

    /** Takes a sum away, and returns its share of what was there, in percent. */
    public int withdraw(int sum) {
        if (sum < 0 || sum > cents) throw new IllegalArgumentException("no such sum");
        int share = 100 * sum / cents;
        cents -= sum;
        return share;
    }
}
