// Stands in for the package `idb`, with which the SDK keeps dates of its own statistics. It reports that it cannot.
export const openDB = () => Promise.reject(new Error('no database'));
