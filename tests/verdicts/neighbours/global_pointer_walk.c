int first[10] = {1, 2, 3}, second[10] = {4, 5, 6};

int main(void) {
    int sum = 0;
    for (int *volatile p = first; p <= first + 10; p++) sum += *p; //~ out_of_bounds
    return sum + second[0] == 0;
}
