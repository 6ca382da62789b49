package dev.adroit.sample

import android.content.Context

/** The sample as it is installed: with its assets. Robolectric takes it in place of the app whose name it extends. */
class TestSampleApp : SampleApp() {
    override fun attachBaseContext(base: Context) {
        super.attachBaseContext(base)
        // Hidden in Android, and marked as deprecated there: but Robolectric knows assets only from archives with resources.
        @Suppress("DEPRECATION")
        check(assets.addAssetPath(System.getProperty("adroit.assets")) != 0)
    }
}
