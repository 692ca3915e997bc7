// message: a pure virtual function was called
struct Base {
    Base() { call(); }
    void call() { run(); } //~ abort
    virtual void run() = 0;
};
struct Derived : Base {
    void run() override {}
};

int main() {
    Derived d;
    return 0;
}
