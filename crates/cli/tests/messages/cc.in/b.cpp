#include <vector>
int main() {}
