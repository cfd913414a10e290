extension EmulatorPage {
  /// The page that Firebase's JavaScript SDK shows in a hidden frame of an app. It tells the SDK that a user has signed
  /// in on the handler's page.
  ///
  /// The SDK speaks with the frame through a script that both load from Google. Its messages are not documented, so the
  /// frame has no replacement for the script.
  static let frame = EmulatorPage(
    body: "",
    script: """

      'use strict';
      const parameters = new URLSearchParams(location.search);
      const storageKey = parameters.get('apiKey') + ':' + parameters.get('appName');
      const storageName = 'gatehouse-auth-event:' + storageKey;
      const noEvent = {
        type: 'unknown', eventId: null, urlResponse: null, sessionId: null, postBody: null, tenantId: null,
        error: { code: 'auth/no-auth-event', message: 'No sign-in has been completed.' },
      };
      let app = null;
      let waiting = null;

      // From the handler's page in a popup.
      window.addEventListener('message', (message) => {
        if (message.origin !== location.origin || message.data?.eventType !== 'sendAuthEvent') return;
        const { data } = message.data;
        if (data?.storageKey !== storageKey) return;
        if (app) send(data.authEvent); else waiting = data.authEvent;
      });

      // From the handler's page before a redirect. A browser may refuse storage to a frame.
      function takeStored() {
        try {
          const text = sessionStorage.getItem(storageName);
          sessionStorage.removeItem(storageName);
          return text && JSON.parse(text);
        } catch {
          return null;
        }
      }

      function send(authEvent) {
        app.send('authEvent', { type: 'authEvent', authEvent }, (answers) => {
          if (answers?.at(-1)?.status !== 'ACK') console.warn('The app did not take the sign-in.');
        }, gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
      }

      function connect() {
        app = gapi.iframes.getContext().getParentIframe();
        // Popups need no storage.
        app.register('webStorageSupport', () => ({ status: 'ACK', webStorageSupport: true }),
          gapi.iframes.CROSS_ORIGIN_IFRAMES_FILTER);
        send(takeStored() || noEvent);
        if (waiting) send(waiting);
      }

      function scriptLoaded() {
        gapi.load('gapi.iframes', { callback: connect });
      }

      """,
    otherScripts: ["https://apis.google.com/js/api.js?onload=scriptLoaded"])
}
