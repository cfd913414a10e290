extension EmulatorPage {
  /// The page on which a user of an identity provider signs in: the window of a popup, or the page of a redirect.
  ///
  /// The names of elements, and `toggleForm`, are those of the page of Firebase's emulator, because browser tests of
  /// apps use them.
  static let handler = EmulatorPage(
    body: """
      <main id="choice">
        <h1>Sign in with <span class="provider"></span></h1>
        <p>This is an emulator. It accepts every user without a password.</p>
        <ul id="accounts-list"></ul>
        <button type="button" class="js-new-account">Add a user</button>
      </main>
      <form id="main-form" hidden>
        <h1>A new user of <span class="provider"></span></h1>
        <button type="button" id="autogen-button">Fill in</button>
        <label>Address<input id="email-input" type="email" autocomplete="off"></label>
        <label>Display name<input id="display-name-input" autocomplete="off"></label>
        <label>User name<input id="screen-name-input" autocomplete="off"></label>
        <label>URL of a picture<input id="profile-photo-input" type="url" autocomplete="off"></label>
        <button id="sign-in">Sign in</button>
        <button type="button" id="back">Back</button>
      </form>
      <p id="message" role="status"></p>
      """,
    script: """

      'use strict';
      const data = JSON.parse(document.getElementById('data').textContent);
      const storageKey = data.apiKey + ':' + data.appName;
      const element = (name) => document.getElementById(name);

      for (const provider of document.querySelectorAll('.provider')) provider.textContent = data.providerId;
      for (const account of data.accounts) {
        const button = document.createElement('button');
        button.type = 'button';
        button.textContent = account.email || account.name || account.sub;
        const detail = document.createElement('small');
        detail.textContent = account.email && account.name ? account.name : account.sub;
        button.append(detail);
        const item = document.createElement('li');
        item.append(button);
        item.addEventListener('click', () => finish(account));
        element('accounts-list').append(item);
      }
      document.querySelector('.js-new-account').addEventListener('click', toggleForm);
      element('back').addEventListener('click', toggleForm);
      element('autogen-button').addEventListener('click', fillIn);
      element('main-form').addEventListener('submit', (submission) => {
        submission.preventDefault();
        finish(newAccount());
      });

      function toggleForm() {
        element('main-form').hidden = !element('main-form').hidden;
        element('choice').hidden = !element('choice').hidden;
      }

      function randomNumber() {
        return crypto.getRandomValues(new Uint32Array(2)).join('');
      }

      function fillIn() {
        const number = randomNumber().slice(0, 6);
        element('email-input').value = 'user.' + number + '@example.com';
        element('display-name-input').value = 'User ' + number;
        element('screen-name-input').value = 'user_' + number;
      }

      function newAccount() {
        const email = element('email-input').value.trim();
        const known = data.accounts.find((account) => email !== '' && account.email === email.toLowerCase());
        const account = { sub: known ? known.sub : randomNumber() };
        if (email) account.email = email;
        for (const [member, input] of Object.entries({
          name: 'display-name-input', screen_name: 'screen-name-input', picture: 'profile-photo-input',
        })) {
          const text = element(input).value.trim();
          if (text) account[member] = text;
        }
        return account;
      }

      // Sends the app the sign-in of a user. The app passes its URL to signInWithIdp, which reads the token from it.
      function finish(account) {
        const claims = { ...account, iss: '', aud: '', exp: 0, iat: 0 };
        if (claims.email) claims.email_verified = true;
        const response = new URL(location.origin + location.pathname);
        response.searchParams.set('providerId', data.providerId);
        response.searchParams.set('id_token', JSON.stringify(claims));
        const authEvent = {
          type: data.authType, eventId: data.eventId, urlResponse: response.href, sessionId: 'emulator', postBody: '',
          tenantId: data.tenantId, error: null,
        };
        if (data.authType.endsWith('ViaPopup')) {
          sendToOpener(authEvent);
        } else {
          sessionStorage.setItem('gatehouse-auth-event:' + storageKey, JSON.stringify(authEvent));
          location.replace(data.redirectUrl);
        }
      }

      function sendToOpener(authEvent) {
        const frame = frameOfApp();
        if (!frame) {
          element('message').textContent =
            'The app that opened this window was not found. It may have been closed or reloaded, or its '
            + 'Cross-Origin-Opener-Policy may separate it from this window.';
          return;
        }
        frame.postMessage({ eventType: 'sendAuthEvent', data: { storageKey, authEvent } }, location.origin);
        element('message').textContent = 'The app has been told. It closes this window.';
      }

      // The frame of this origin, among those of the window that opened this one.
      function frameOfApp() {
        const opener = window.opener;
        for (let index = 0; opener && index < opener.length; index++) {
          try {
            const url = new URL(opener[index].location.href);
            const name = url.searchParams.get('apiKey') + ':' + url.searchParams.get('appName');
            if (url.origin === location.origin && url.pathname.endsWith('/iframe') && name === storageKey) {
              return opener[index];
            }
          } catch {
            // A frame of another origin does not show its address.
          }
        }
        return null;
      }

      """)
}
