package android.system;

import java.lang.ref.Cleaner;

/** Stands in for Android's class of this name where there is no Android. */
public final class SystemCleaner {
    private static final Cleaner CLEANER = Cleaner.create();

    private SystemCleaner() {}

    public static Cleaner cleaner() {
        return CLEANER;
    }
}
