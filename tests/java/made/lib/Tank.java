package lib;

/** Empty and closed when it is made. */
public final class Tank {
    private int level;
    private boolean isOpen;

    public void setLevel(int level) {
        if (level < 0) throw new IllegalArgumentException("a level below zero");
        this.level = level;
    }

    public Tank open() {
        isOpen = true;
        return this;
    }

    public int share() {
        if (isOpen && level == 77) return 100 / (level - 77);
        return level < 0 ? 3 : level > 5 ? 2 : isOpen ? 1 : 0;
    }
}
