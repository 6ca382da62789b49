package androidx.annotation;

import java.lang.annotation.Retention;
import java.lang.annotation.RetentionPolicy;

/** Stands in for the annotation of this name where there is no Android. */
@Retention(RetentionPolicy.CLASS)
public @interface RequiresApi {
    int value();
}
