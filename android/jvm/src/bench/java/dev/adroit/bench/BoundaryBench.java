package dev.adroit.bench;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.*;

/** What it costs to call the library from Kotlin. The first two are what the others are compared with. */
@BenchmarkMode(Mode.SampleTime)
@OutputTimeUnit(TimeUnit.MICROSECONDS)
@Fork(1)
@Warmup(iterations = 3, time = 2)
@Measurement(iterations = 5, time = 2)
public class BoundaryBench {
    @State(Scope.Benchmark)
    public static class Instant {
        World world;

        @Setup
        public void open() {
            world = new World(false);
        }

        @TearDown
        public void close() {
            world.close();
        }
    }

    @State(Scope.Benchmark)
    public static class Bundled {
        World world;

        @Setup
        public void open() {
            world = new World(true);
        }

        @TearDown
        public void close() {
            world.close();
        }
    }

    /** The floor: JNA calls a native function that does nothing. */
    @Benchmark
    public int a_nativeCall() {
        return dev.adroit.internal.IntegrityCheckingUniffiLib.INSTANCE.ffi_adroit_uniffi_contract_version();
    }

    /** The floor of any suspend function that runs on another thread. */
    @Benchmark
    public void b_dispatch() {
        World.dispatch();
    }

    @Benchmark
    public long c_count(Instant of) {
        return of.world.count();
    }

    @Benchmark
    public Object d_skill(Instant of) {
        return of.world.skill();
    }

    @Benchmark
    public Object e_rankWithProviderInKotlin(Instant of) {
        return of.world.rank();
    }

    @Benchmark
    public Object f_rankWithBundledModel(Bundled of) {
        return of.world.rank();
    }
}
