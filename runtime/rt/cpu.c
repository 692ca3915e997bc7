/* What __builtin_cpu_supports and __builtin_cpu_is read: a plain x86-64 without extensions, natively
 * as under the engine, so that both take the same path. */
struct {
    unsigned vendor, type, subtype, features[1];
} __cpu_model;
unsigned __cpu_features2[3];

int __cpu_indicator_init(void) { return 0; }
