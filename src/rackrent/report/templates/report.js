// Put a chart that answers to the pointer in the place of each drawing. Without this the drawings stay.
(() => {
  "use strict";
  const charts = JSON.parse(document.getElementById("charts").textContent);
  const options = {
    ast: true, // expressions are interpreted: the page's policy allows no code made from text
    actions: false,
    defaultStyle: false,
    renderer: "svg",
    tooltip: { disableDefaultStyle: true },
  };
  for (const live of document.querySelectorAll("[data-chart]")) {
    const still = live.parentElement.querySelector(".still");
    live.classList.add("on");
    window
      .vegaEmbed(live, charts[live.dataset.chart], options)
      .then(() => still.classList.add("off"))
      .catch(() => live.remove());
  }
})();
