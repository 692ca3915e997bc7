package bank;

import java.math.BigDecimal;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** Objects that are compared by what is in them. */
class Results {
    record Pair(int a, String b) {}

    /** Its constructor changes what it is given. */
    record Half(int a) {
        Half {
            a /= 2;
        }
    }

    static final class Named {
        private final int number;

        Named(int number) {
            this.number = number;
        }

        @Override
        public String toString() {
            return "no. " + number + "\n";
        }
    }

    static Object of(byte kind) {
        Map<Object, List<String>> map = new HashMap<>();
        map.put(-1, List.of("a", "b"));
        map.put(null, List.of());
        switch (kind) {
            case 0: return List.of(1, -2L);
            case 1: return new ArrayList<>(List.of(-5));
            case 2: return new HashSet<>(Arrays.asList("z", "y", null));
            case 3: return map;
            case 4: return new Pair(-7, null);
            case 5: return new Half(8);
            case 6: return new Named(kind);
            case 7: return new String[] {"a", null};
            case 8: return new Object[] {List.of('x'), new Pair(1, "y")};
            case 9: return Optional.of((short) -3);
            case 10: return new BigDecimal("1.50");
            case 11: return Arrays.asList((Object) null);
            case 12: return List.of(new int[] {1});
            default: return new Object();
        }
    }
}
