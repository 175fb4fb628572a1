/* A clock for a ten-year-old television: plain old JavaScript (ES5), no modules, no websocket.
   It asks for the event's document every 2 s and counts down in between. Hub time comes from the
   hub's health page, by the quickest of the last answers. It knows no sounds and only one scene. */
(function () {
  "use strict";

  var EVERY = 2000;
  var TIMEOUT = 4000;
  var STALE = 300000;
  var found = /[?&]event=([^&]*)/.exec(location.search);
  var wanted = found ? decodeURIComponent(found[1]) : "1";
  var doc = null;
  var samples = []; // [round trip, offset], newest last
  var heardAt = 0;
  var missed = false;
  var turn = 0;

  function get(path, done) {
    var request = new XMLHttpRequest();
    request.open("GET", path, true);
    request.onreadystatechange = function () {
      if (request.readyState !== 4) return;
      clearTimeout(limit);
      var said = null;
      try { said = JSON.parse(request.responseText); } catch (error) { said = null; }
      done(request.status, said);
    };
    var limit = setTimeout(function () { request.abort(); }, TIMEOUT);
    request.send();
  }

  function offset() {
    var best = samples[0];
    for (var i = 1; i < samples.length; i += 1) if (samples[i][0] <= best[0]) best = samples[i];
    return best[1];
  }

  /* Ask the time at first and every tenth time, the document otherwise. */
  function ask() {
    var sent = new Date().getTime();
    var time = samples.length === 0 || turn % 10 === 0;
    turn += 1;
    get(time ? "/healthz" : "/api/v1/documents/t/" + encodeURIComponent(wanted), function (status, said) {
      var back = new Date().getTime();
      missed = status === 0 || status >= 500;
      if (said && time && said.now) {
        heardAt = back;
        samples.push([back - sent, said.now - (sent + back) / 2]);
        if (samples.length > 8) samples.shift();
      } else if (said && status === 200 && said.doc) {
        heardAt = back;
        doc = said.doc;
      }
      setTimeout(ask, time && said && !doc ? 0 : EVERY);
      paint();
    });
  }

  function grouped(number) {
    return String(number).replace(/\B(?=(\d{3})+$)/g, ",");
  }

  function two(number) {
    return number < 10 ? "0" + number : String(number);
  }

  function digits(ms) {
    var total = Math.ceil(ms / 1000);
    var hours = Math.floor(total / 3600);
    var minutes = Math.floor(total / 60) % 60;
    return (hours > 0 ? hours + ":" + two(minutes) : String(minutes)) + ":" + two(total % 60);
  }

  function time(instant) {
    var date = new Date(instant);
    return two(date.getHours()) + ":" + two(date.getMinutes());
  }

  function blinds(step) {
    return step.small === null ? "" : grouped(step.small) + " / " + grouped(step.big);
  }

  function put(id, text) {
    var node = document.getElementById(id);
    if (node.firstChild && node.firstChild.nodeValue === text) return;
    while (node.firstChild) node.removeChild(node.firstChild);
    if (text) node.appendChild(document.createTextNode(text));
  }

  function band(clock, h4h, left, last) {
    var reason = clock.reason;
    if (clock.status === "finished") return ["finished", "FINISHED"];
    if (clock.status === "suspended") return ["suspended", "SUSPENDED"];
    if (clock.status === "waiting") return ["waiting", clock.starts_at === null ? "NOT STARTED" : "STARTS AT " + time(clock.starts_at)];
    if (clock.status === "paused" && reason === "hard_stop") return ["paused", "HARD STOP"];
    if (clock.status === "paused" && reason !== "hand_for_hand" && reason !== "break_waits") return ["paused", "PAUSED" + (reason ? " · " + reason : "")];
    if (clock.phase === "break" && clock.status === "running") return ["break", "BREAK"];
    if (h4h.status !== "off") return ["h4h", "HAND FOR HAND" + (h4h.hand ? " · HAND " + h4h.hand : "") + (clock.status === "paused" ? " · CLOCK HELD" : "")];
    if (left === 0 && last) return ["last", "LAST LEVEL · IT GOES ON WITHOUT END"];
    if (left !== null && left <= 60000) return ["last", "LAST MINUTE"];
    return ["", ""];
  }

  /* What was announced comes by itself while the hub is away: once, and no further. */
  function ahead(clock, now) {
    var next = clock.next;
    if (clock.ends_at === null || !next || now < clock.ends_at + 5000) return clock;
    var rest = next.phase === "break" ? clock : next;
    return {
      status: "running", phase: next.phase, level: rest.level, small: rest.small, big: rest.big, ante: rest.ante,
      ends_at: next.length_ms === null ? null : clock.ends_at + next.length_ms, remaining_ms: null, next: null, reason: null, starts_at: null
    };
  }

  function paint() {
    var own = new Date().getTime();
    var silent = heardAt === 0 ? 0 : own - heardAt;
    var trust = heardAt === 0 || silent > STALE ? "stale" : missed || silent > 2 * EVERY + 500 ? "away" : "";
    put("state", heardAt === 0 ? "NO HUB" : trust === "stale" ? "STALE: ASK THE FLOOR" : trust === "away" ? "HUB AWAY" : "live");
    if (!doc || samples.length === 0) { document.body.className = trust; return; }
    var now = own + offset();
    var clock = ahead(doc.clock, now);
    var counting = clock.status === "waiting" && clock.starts_at !== null ? clock.starts_at : clock.ends_at;
    var left = counting !== null ? Math.max(0, counting - now) : clock.status === "waiting" ? null : clock.remaining_ms;
    var last = clock === doc.clock && doc.notices.indexOf("last_level") >= 0;
    var state = band(clock, doc.h4h, clock.ends_at === null ? null : left, last);
    var shown = clock.status === "finished" || left === null ? "" : digits(left);
    var money = blinds(clock);
    document.body.className = [state[0], trust, shown.length > 5 ? "long" : "", money.length > 17 ? "small" : ""].join(" ");
    put("name", doc.name);
    put("band", state[1]);
    put("digits", shown);
    put("blinds", clock.phase === "break" ? "" : money);
    put("ante", clock.phase === "break" || !clock.ante ? "" : "ante " + grouped(clock.ante));
    put("facts", "Level " + clock.level + (doc.field.entries ? "   ·   Players " + doc.field.left + " of " + doc.field.entries : "") + (doc.field.average_stack !== null ? "   ·   Average " + grouped(doc.field.average_stack) : ""));
    put("next", !clock.next ? "" : clock.next.phase === "break" ? "Next: break" : "Next: level " + clock.next.level + ", " + blinds(clock.next));
    put("foot", doc.announcement || "");
  }

  setInterval(paint, 200);
  ask();
}());
