// Stands in for the script that Firebase's JavaScript SDK, and the page of its hidden frame, load from Google. It has
// the parts of the script's interface that the SDK declares, and `getParentIframe`. Its messages are its own.
(() => {
  class Iframe {
    constructor(other) {
      this.other = other;
      this.handlers = new Map();
      this.early = [];
      this.callbacks = new Map();
      this.ready = new Promise((resolve) => { this.isReady = resolve; });
      window.addEventListener('message', (message) => {
        if (message.source === this.other() && message.data?.isOfStandIn) this.receive(message.data);
      });
    }
    post(message) { this.other().postMessage({ isOfStandIn: true, ...message }, '*'); }
    async receive(message) {
      if (message.kind === 'ready') return this.isReady();
      if (message.kind === 'answer') return this.callbacks.get(message.id)?.([message.data]);
      const handler = this.handlers.get(message.type);
      if (!handler) return this.early.push(message);
      this.post({ kind: 'answer', id: message.id, data: await handler(message.data) });
    }
    register(type, handler) {
      this.handlers.set(type, handler);
      for (const message of this.early.splice(0)) this.receive(message);
    }
    send(type, data, callback) {
      const id = crypto.randomUUID();
      this.callbacks.set(id, callback);
      this.post({ kind: 'call', id, type, data });
    }
    ping(callback) { return this.ready.then(() => { callback(); return []; }); }
    restyle() { return Promise.resolve([]); }
  }

  let parent = null;
  const context = {
    open(options, callback) {
      const frame = document.createElement('iframe');
      for (const [name, value] of Object.entries(options.attributes)) {
        if (name === 'style') Object.assign(frame.style, value); else frame.setAttribute(name, value);
      }
      frame.src = options.url;
      options.where.append(frame);
      return Promise.resolve(callback(new Iframe(() => frame.contentWindow)));
    },
    getParentIframe() {
      if (!parent) {
        parent = new Iframe(() => window.parent);
        parent.post({ kind: 'ready' });
      }
      return parent;
    },
  };
  window.gapi = {
    load: (name, options) => queueMicrotask(options.callback ?? options),
    iframes: { Iframe, getContext: () => context, CROSS_ORIGIN_IFRAMES_FILTER: () => true },
  };
  window[new URL(document.currentScript.src).searchParams.get('onload')]();
})();
