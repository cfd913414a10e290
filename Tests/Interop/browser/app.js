// The app that try_browser.py drives: Firebase's JavaScript SDK, and nothing else. The query names the emulator.
import { initializeApp } from '@firebase/app';
import * as sdk from '@firebase/auth';

const emulator = new URLSearchParams(location.search).get('emulator');
const auth = sdk.getAuth(initializeApp({ apiKey: 'key', projectId: 'local', authDomain: 'app.test' }));
sdk.connectAuthEmulator(auth, emulator, { disableWarnings: true });
Object.assign(window, { sdk, auth });

// Waits for a promise of the SDK, and returns its outcome as a value that can leave the page.
window.outcome = async (promise) => {
  try {
    const result = await promise;
    window.latest = result;
    const user = result?.user;
    return {
      uid: user?.uid, email: user?.email, name: user?.displayName, operation: result?.operationType, none: !result,
      tenant: user?.tenantId,
    };
  } catch (error) {
    return { code: error.code ?? String(error) };
  }
};
