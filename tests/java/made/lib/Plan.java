package lib;

/** Made by a builder. */
public final class Plan {
    private final int days;

    private Plan(int days) {
        this.days = days;
    }

    public static final class Builder {
        private final int days;

        public Builder(int days) {
            if (days == 0) throw new IllegalArgumentException("no days");
            this.days = days;
        }

        public Plan build() {
            return new Plan(days);
        }
    }

    public int share() {
        return 100 / days;
    }
}
