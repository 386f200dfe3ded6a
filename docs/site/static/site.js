/* SPDX-License-Identifier: Apache-2.0 */
/* Applies the dark theme where the reader's system requests it. The theme's own rule for `auto` is missing in Debian's build. */
(() => {
  const dark = window.matchMedia("(prefers-color-scheme: dark)");
  const follow = () => {
    if (document.body.dataset.theme === "auto" && dark.matches) document.body.dataset.theme = "dark";
  };
  new MutationObserver(follow).observe(document.body, { attributes: true, attributeFilter: ["data-theme"] });
  follow();
})();
