// complete
import java.util.Arrays;
import java.util.List;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

public class Streams {
    static int path(byte a, byte b) {
        int sum = IntStream.of(a, b, 3).filter(x -> x > 10).map(x -> x * 2).sum();
        if (sum == 100) return 1;
        List<Integer> all = Stream.of((int) a, (int) b).map(x -> x + 1).collect(Collectors.toList());
        if (all.get(0) == 6 && all.get(1) < 0) return 2;
        if (Arrays.asList(a, b).stream().anyMatch(x -> x == 77)) return 3;
        return Stream.of(a, b).mapToInt(Byte::intValue).max().getAsInt() == 50 ? 4 : 5;
    }
}
