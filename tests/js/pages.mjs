// Lets node read a page's modules: what a page calls /web/… is in display/web/.

import { register } from "node:module";

const root = new URL("../../display/web/", import.meta.url).href;
const source = `
  export const resolve = (name, context, next) =>
    next(name.startsWith("/web/") ? ${JSON.stringify(root)} + name.slice(5) : name, context);
`;
register(`data:text/javascript,${encodeURIComponent(source)}`);
