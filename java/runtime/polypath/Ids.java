package polypath;

import java.util.Arrays;

/**
 * The ids of an array's elements, 0 for those without. They come in pages, and a page when one of its ids is set: of a large array few elements
 * depend on input as a rule, and ids for all of them would take the program's memory.
 */
final class Ids {
    private static final int BITS = 8;
    private static final int PAGE = 1 << BITS;

    private final int length;
    private final int[][] pages;

    Ids(int length) {
        this.length = length;
        pages = new int[length + PAGE - 1 >>> BITS][];
    }

    int get(int i) {
        int[] page = pages[i >>> BITS];
        return page == null ? 0 : page[i & PAGE - 1];
    }

    void set(int i, int id) {
        int[] page = pages[i >>> BITS];
        if (page == null) {
            if (id == 0) return;
            page = page(i);
        }
        page[i & PAGE - 1] = id;
    }

    /** The page of an element, which is made if there is none. */
    private int[] page(int i) {
        int at = i >>> BITS;
        if (pages[at] == null) pages[at] = new int[Math.min(PAGE, length - (at << BITS))];
        return pages[at];
    }

    /** How many elements have ids. */
    int count() {
        int n = 0;
        for (int[] page : pages) {
            if (page == null) continue;
            for (int id : page) if (id != 0) n++;
        }
        return n;
    }

    /** Whether one of `n` elements from `i` on has an id. */
    boolean any(int i, int n) {
        for (int end = i + n; i < end; ) {
            int[] page = pages[i >>> BITS];
            int next = Math.min(end - i, PAGE - (i & PAGE - 1)) + i;
            for (int k = i; page != null && k < next; k++) if (page[k & PAGE - 1] != 0) return true;
            i = next;
        }
        return false;
    }

    /** The ids of `n` elements from `j` on become those of another array's from `i` on; without one, or of this array's own. */
    void copy(Ids from, int i, int j, int n) {
        boolean isBackward = from == this && i < j;
        for (int done = 0; done < n; ) {
            int rest = n - done;
            int size;
            if (isBackward) {
                // As much as ends where the rest ends.
                size = Math.min(rest, Math.min((i + rest - 1 & PAGE - 1) + 1, (j + rest - 1 & PAGE - 1) + 1));
                part(from, i + rest - size, j + rest - size, size);
            } else {
                size = Math.min(rest, Math.min(PAGE - (i + done & PAGE - 1), PAGE - (j + done & PAGE - 1)));
                part(from, i + done, j + done, size);
            }
            done += size;
        }
    }

    /** The same within a page each. */
    private void part(Ids from, int i, int j, int n) {
        int[] source = from == null ? null : from.pages[i >>> BITS];
        int first = j & PAGE - 1;
        if (source != null) System.arraycopy(source, i & PAGE - 1, page(j), first, n);
        else if (pages[j >>> BITS] != null) Arrays.fill(pages[j >>> BITS], first, first + n, 0);
    }
}
