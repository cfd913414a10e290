// A library that is preloaded: it has nothing to call. What it writes is described in gatehouse_record.h.
