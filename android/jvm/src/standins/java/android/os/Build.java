package android.os;

/** Stands in for Android's class of this name where there is no Android. */
public final class Build {
    private Build() {}

    public static final class VERSION {
        private VERSION() {}

        /** The oldest Android the library runs on. No constant to the compiler, which would leave out what newer ones do. */
        public static final int SDK_INT = Integer.parseInt("24");
    }

    public static final class VERSION_CODES {
        private VERSION_CODES() {}

        public static final int UPSIDE_DOWN_CAKE = 34;
    }
}
