/* An assignment between members of a union that overlap in part. */
struct S { int a[4]; };
union U { struct S s; struct { int before; struct S s; } t; };
int main(void) {
    union U u = {{{1, 2, 3, 4}}};
    union U *volatile p = &u;
    p->t.s = p->s; //~ overlap
    return 0;
}
