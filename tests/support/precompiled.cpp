// Catch2's header is precompiled with this file; the other tests reuse it.
