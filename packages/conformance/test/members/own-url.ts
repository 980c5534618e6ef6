export const ownUrl = import.meta.url;
