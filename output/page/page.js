// The script of the page: unpacks the streams and lets the scene be looked at.
import * as THREE from "three";
import {OrbitControls} from "orbit-controls";

const PLAIN = new THREE.Color("#c3ccd9");

// Reader of the binary streams.
class Streams {
  constructor(header, bytes) {
    this.parts = new Map();
    let at = 0;
    for (const {name, length} of header.streams) {
      this.parts.set(name, bytes.subarray(at, at + length));
      at += length;
    }
  }

  set(name, bytes) { this.parts.set(name, bytes); }

  bytes(name) { return this.parts.get(name) ?? new Uint8Array(0); }

  // numbers undoes zigzag varints of differences.
  numbers(name, count) {
    const bytes = this.bytes(name), out = new Int32Array(count);
    let at = 0, last = 0;
    for (let i = 0; i < count; i++) {
      let value = 0, scale = 1, byte;
      do {
        byte = bytes[at++];
        value += (byte & 127) * scale;
        scale *= 128;
      } while (byte & 128);
      last += value % 2 ? -(value + 1) / 2 : value / 2;
      out[i] = last;
    }
    return out;
  }

  // places reads three streams of quantised coordinates as millimetres.
  places(name, count, header) {
    const out = new Float32Array(3 * count);
    ["x", "y", "z"].forEach((axis, a) => {
      const q = this.numbers(`${name}:${axis}`, count);
      for (let i = 0; i < count; i++) out[3 * i + a] = header.origin[a] + q[i] * header.step;
    });
    return out;
  }
}

// table returns 256 colours between those of a field's scale, as linear RGB.
function table(colours) {
  const out = new Float32Array(3 * 256), a = new THREE.Color(), b = new THREE.Color();
  for (let i = 0; i < 256; i++) {
    const x = Math.max(0, (i - 1) / 254) * (colours.length - 1), k = Math.min(Math.floor(x), colours.length - 2);
    a.set(colours[k]).lerp(b.set(colours[k + 1]), x - k).toArray(out, 3 * i);
  }
  return out;
}

function buildMesh(header, streams) {
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(streams.places("vertex", header.vertices, header), 3));
  geometry.setAttribute("normal", new THREE.BufferAttribute(new Int8Array(streams.bytes("normal")), 3, true));
  geometry.setAttribute("color", new THREE.BufferAttribute(new Float32Array(3 * header.vertices), 3));
  const corners = streams.numbers("face", 4 * header.faces), index = new Uint32Array(6 * header.faces);
  let used = 0;
  for (let f = 0; f < corners.length; f += 4) {
    const a = corners[f], c = corners[f + 2], d = corners[f + 3];
    index[used++] = a;
    index[used++] = corners[f + 1];
    index[used++] = c;
    if (d !== c) {
      index[used++] = a;
      index[used++] = c;
      index[used++] = d;
    }
  }
  geometry.setIndex(new THREE.BufferAttribute(index.subarray(0, used), 1));
  return geometry;
}

// coarser is the index of some most triangles: of those between the first vertices in cubes
// of a size. It is drawn where frames take long, while the view turns.
function coarser(geometry, most) {
  const place = geometry.attributes.position.array, fine = geometry.index.array, factor = Math.sqrt(fine.length / 3 / most);
  if (factor < 1.3) return geometry.index;
  let length = 0, edges = 0;
  for (let i = 0; i + 2 < fine.length; i += 3 * Math.ceil(fine.length / 30000), edges++) {
    const a = 3 * fine[i], b = 3 * fine[i + 1];
    length += Math.hypot(place[a] - place[b], place[a + 1] - place[b + 1], place[a + 2] - place[b + 2]);
  }
  const side = factor * length / edges, first = new Map(), of = new Uint32Array(place.length / 3), wide = 2 ** 17;
  for (let v = 0; v < of.length; v++) {
    const [x, y, z] = [0, 1, 2].map(a => Math.floor(place[3 * v + a] / side) + wide / 2), cube = x + wide * (y + wide * z);
    if (!first.has(cube)) first.set(cube, v);
    of[v] = first.get(cube);
  }
  const index = new Uint32Array(fine.length);
  let used = 0;
  for (let i = 0; i < fine.length; i += 3) {
    const a = of[fine[i]], b = of[fine[i + 1]], c = of[fine[i + 2]];
    if (a === b || b === c || c === a) continue;
    index[used++] = a;
    index[used++] = b;
    index[used++] = c;
  }
  return new THREE.BufferAttribute(index.slice(0, used), 1);
}

// Ribbons that face the viewer, along which light runs with the air.
function buildLines(header, streams, colours) {
  const total = header.lines.reduce((a, b) => a + b, 0);
  const place = streams.places("line", total, header), times = streams.numbers("line:time", total), speeds = streams.bytes("line:speed");
  const position = new Float32Array(6 * total), tangent = new Float32Array(6 * total), side = new Float32Array(2 * total);
  const time = new Float32Array(2 * total), color = new Float32Array(6 * total), index = [];
  let start = 0;
  for (const length of header.lines) {
    for (let i = start; i < start + length; i++) {
      const before = Math.max(i - 1, start), after = Math.min(i + 1, start + length - 1);
      for (let s = 0; s < 2; s++) {
        const v = 2 * i + s;
        for (let a = 0; a < 3; a++) {
          position[3 * v + a] = place[3 * i + a];
          tangent[3 * v + a] = place[3 * after + a] - place[3 * before + a];
          color[3 * v + a] = colours[3 * speeds[i] + a];
        }
        side[v] = 2 * s - 1;
        time[v] = times[i] / 65535 * header.lineTime;
      }
      if (i + 1 < start + length) index.push(2 * i, 2 * i + 1, 2 * i + 2, 2 * i + 1, 2 * i + 3, 2 * i + 2);
    }
    start += length;
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("tangent3", new THREE.BufferAttribute(tangent, 3));
  geometry.setAttribute("side", new THREE.BufferAttribute(side, 1));
  geometry.setAttribute("time", new THREE.BufferAttribute(time, 1));
  geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
  geometry.setIndex(index);
  return geometry;
}

function lineMaterial(width) {
  return new THREE.ShaderMaterial({
    uniforms: {width: {value: width}, clock: {value: 0}, period: {value: 1}},
    side: THREE.DoubleSide,
    clipping: true,
    vertexShader: `
      attribute vec3 tangent3; attribute float side; attribute float time; attribute vec3 color;
      uniform float width; varying vec3 tint; varying float when; varying float across;
      #include <clipping_planes_pars_vertex>
      void main() {
        vec4 mvPosition = modelViewMatrix * vec4(position, 1.0);
        vec3 along = (modelViewMatrix * vec4(tangent3, 0.0)).xyz;
        vec3 outward = normalize(cross(along, vec3(0.0, 0.0, 1.0)) + vec3(1e-9));
        mvPosition.xyz += outward * side * width;
        #include <clipping_planes_vertex>
        gl_Position = projectionMatrix * mvPosition;
        tint = color; when = time; across = side;
      }`,
    fragmentShader: `
      uniform float clock; uniform float period; varying vec3 tint; varying float when; varying float across;
      #include <clipping_planes_pars_fragment>
      void main() {
        #include <clipping_planes_fragment>
        float pulse = fract((when - clock) / period);
        float glow = smoothstep(0.82, 1.0, pulse);
        float round = 1.0 - 0.45 * across * across;
        gl_FragColor = vec4(mix(tint * round, vec3(1.0), 0.6 * glow), 1.0);
        #include <colorspace_fragment>
      }`,
  });
}

function buildBoxes(header, streams) {
  const place = streams.places("box", 2 * header.boxes, header), owners = streams.numbers("box:owner", header.boxes);
  const edges = [0, 1, 0, 2, 0, 4, 3, 1, 3, 2, 3, 7, 5, 1, 5, 4, 5, 7, 6, 2, 6, 4, 6, 7];
  const position = new Float32Array(header.boxes * edges.length * 3), color = new Float32Array(position.length), tint = new THREE.Color();
  let at = 0;
  for (let b = 0; b < header.boxes; b++) {
    tint.set(header.labels[owners[b]]?.colour ?? "#888888");
    for (const corner of edges) {
      for (let a = 0; a < 3; a++) position[at + a] = place[3 * (2 * b + (corner >> a & 1)) + a];
      tint.toArray(color, at);
      at += 3;
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(position, 3));
  geometry.setAttribute("color", new THREE.BufferAttribute(color, 3));
  return geometry;
}

function buildBranches(header, streams) {
  const total = header.branches.reduce((n, b) => n + b.places, 0), place = streams.places("branch", total, header);
  const index = [];
  let first = 0;
  for (const {places} of header.branches) {
    for (let i = first; i + 1 < first + places; i++) index.push(i, i + 1);
    first += places;
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(place, 3));
  geometry.setIndex(index);
  return geometry;
}

// Volume gives the values of the voxels in a plane.
class Volume {
  constructor(header, streams) {
    const {size, runs} = header.voxels;
    Object.assign(this, {size, runs, x0: streams.numbers("run:x0", runs), x1: streams.numbers("run:x1", runs),
      y: streams.numbers("run:y", runs), z: streams.numbers("run:z", runs)});
  }

  // paint returns an RGBA image of the layer of the axis.
  paint(axis, layer, values, colours) {
    const {size, x0, x1, y, z} = this, wide = size[axis === 0 ? 1 : 0], high = size[axis === 2 ? 1 : 2];
    const image = new Uint8Array(4 * wide * high), tint = new THREE.Color();
    const put = (i, j, voxel) => {
      tint.fromArray(colours, 3 * values[voxel]).convertLinearToSRGB();
      image.set([255 * tint.r, 255 * tint.g, 255 * tint.b, 255], 4 * (j * wide + i));
    };
    let first = 0; // voxel of the run
    for (let r = 0; r < this.runs; first += x1[r] - x0[r], r++) {
      if (axis === 0) {
        if (layer >= x0[r] && layer < x1[r]) put(y[r], z[r], first + layer - x0[r]);
      } else if (layer === (axis === 1 ? y[r] : z[r])) {
        for (let x = x0[r]; x < x1[r]; x++) put(x, axis === 1 ? z[r] : y[r], first + x - x0[r]);
      }
    }
    return image;
  }
}

function element(parent, tag, text, properties) {
  const e = document.createElement(tag);
  if (text) e.textContent = text;
  Object.assign(e, properties);
  parent.append(e);
  return e;
}

// Three digits are what a scale needs; what vanishes beside its size is zero.
const rounded = (value, size) => Math.abs(value) < size / 1000 ? "0" : Number(value.toPrecision(3)).toString();

// Instants are the moments of a flow, the last is that of all streams. The others are
// unpacked when they are first asked for.
class Instants {
  constructor(header, streams, unpack) {
    Object.assign(this, {header, streams, unpack, frames: new Map()});
    this.fields = header.fields.filter(f => !f.wall).flatMap(f => ["vertex:" + f.name, "voxel:" + f.name]);
    this.last = header.instants.length - 1;
    this.frames.set(this.last, new Map(this.fields.map(name => [name, streams.bytes(name)])));
  }

  // show puts the fields of one into the streams, unless another was asked for meanwhile.
  async show(number) {
    this.asked = number;
    if (!this.frames.has(number)) this.frames.set(number, this.cut(await this.unpack("instant-" + number)));
    if (this.asked !== number) return false;
    for (const [name, bytes] of this.frames.get(number)) this.streams.set(name, bytes);
    return true;
  }

  // cut takes a frame apart, whose parts are as long as those of the last.
  cut(bytes) {
    let at = 0;
    return new Map(this.fields.map(name => {
      const {length} = this.frames.get(this.last).get(name);
      at += length;
      return [name, bytes.subarray(at - length, at)];
    }));
  }
}

export function show(header, bytes, unpack) {
  const streams = new Streams(header, bytes);
  const canvas = document.getElementById("view");
  // The processor draws where there is no graphics card: smoothed edges would take most of its time.
  const byProcessor = !document.createElement("canvas").getContext("webgl2", {failIfMajorPerformanceCaveat: true});
  const renderer = new THREE.WebGLRenderer({canvas, antialias: !byProcessor, alpha: true});
  renderer.setPixelRatio(window.devicePixelRatio);
  renderer.localClippingEnabled = true;
  const scene = new THREE.Scene();
  const low = new THREE.Vector3(...header.low), high = new THREE.Vector3(...header.high);
  const center = low.clone().add(high).multiplyScalar(0.5), size = high.clone().sub(low), radius = size.length() / 2;
  const camera = new THREE.PerspectiveCamera(28, 1, radius / 50, radius * 20);
  camera.up.set(0, 0, 1);
  const sun = new THREE.DirectionalLight("#ffffff", 2.2);
  sun.position.set(-0.5, 0.7, 1);
  camera.add(sun);
  scene.add(camera, new THREE.HemisphereLight("#ffffff", "#8d96a6", 1.6));
  const controls = new OrbitControls(camera, canvas);
  controls.enableDamping = true;

  const plane = new THREE.Plane(new THREE.Vector3(0, 1, 0), 0);
  const geometry = buildMesh(header, streams);
  const labels = streams.numbers("label", header.vertices);
  const material = new THREE.MeshStandardMaterial({vertexColors: true, roughness: 0.55, metalness: 0, side: THREE.DoubleSide});
  // Seen through, the surface is like glass: denser where it is seen edge on.
  material.onBeforeCompile = shader => {
    shader.fragmentShader = shader.fragmentShader.replace("#include <opaque_fragment>", `
      if (diffuseColor.a < 0.999) {
        float edge = 1.0 - abs(dot(normalize(normal), normalize(vViewPosition)));
        diffuseColor.a = mix(diffuseColor.a, min(1.0, 4.0 * diffuseColor.a), edge * edge);
      }
      #include <opaque_fragment>`);
  };
  const surface = new THREE.Mesh(geometry, material);
  surface.renderOrder = 1; // after what is inside
  scene.add(surface);

  const tables = new Map(header.fields?.map(f => [f.name, table(f.colours)]));
  const modes = [["plain", "plain"]];
  if (header.labels) modes.push(["label", header.labelKind]);
  for (const f of header.fields ?? []) modes.push([f.name, f.name === "speed" ? "speed at wall" : f.name]);

  function colourBy(mode) {
    const color = geometry.attributes.color, values = streams.bytes("vertex:" + mode), scale = tables.get(mode);
    const tints = (header.labels ?? []).map(l => new THREE.Color(l.colour));
    for (let i = 0; i < header.vertices; i++) {
      if (scale) color.array.set(scale.subarray(3 * values[i], 3 * values[i] + 3), 3 * i);
      else (mode === "label" ? tints[labels[i]] : PLAIN).toArray(color.array, 3 * i);
    }
    color.needsUpdate = true;
  }

  const speed = header.fields?.find(f => f.name === "speed");
  let lines;
  if (header.lines) {
    lines = new THREE.Mesh(buildLines(header, streams, tables.get("speed")), lineMaterial(radius / 420));
    lines.material.uniforms.period.value = header.transit / 4;
    scene.add(lines);
  }
  let boxes;
  if (header.boxes) {
    boxes = new THREE.LineSegments(buildBoxes(header, streams), new THREE.LineBasicMaterial({vertexColors: true, transparent: true, opacity: 0.8}));
    boxes.visible = false;
    scene.add(boxes);
  }

  let branches;
  if (header.branches) {
    // They lie inside and are seen through the surface.
    branches = new THREE.LineSegments(buildBranches(header, streams), new THREE.LineBasicMaterial({color: "#22262e", depthTest: false, transparent: true}));
    branches.renderOrder = 2;
    branches.visible = false;
    scene.add(branches);
  }

  // The panel.
  const panel = document.getElementById("panel"), state = {mode: "plain", lines: true, end: true, slice: -1, axis: 1, field: (speed ?? header.fields?.[0])?.name};
  const title = text => element(panel, "h2", text);
  const buttons = (names, pick, chosen) => {
    const row = element(panel, "div", "", {className: "row"});
    const all = names.map(([key, text]) => element(row, "button", text, {onclick: () => { mark(key); pick(key); }}));
    const mark = key => all.forEach((b, i) => b.classList.toggle("on", names[i][0] === key));
    mark(chosen);
    return mark;
  };
  title(header.sides ? "Look from" : "Look");
  // Seen from where patients are usually looked at, if it is known where that is.
  const turn = header.turned ? -1 : 1, known = header.sides;
  const looks = [[known ? "front" : "along y", [0, -turn, 0]], [known ? "left" : "against x", [turn, 0, 0]],
    [known ? "back" : "against y", [0, turn, 0]], [known ? "top" : "against z", [0, -0.001 * turn, 1]]];
  const look = direction => {
    const away = new THREE.Vector3(...direction).normalize();
    const right = new THREE.Vector3().crossVectors(camera.up, away).normalize(), up = new THREE.Vector3().crossVectors(away, right);
    // As near as the surface fits into the view beside the panel.
    const tall = Math.tan(camera.fov * Math.PI / 360) * 0.88, wide = tall * Math.max(0.3, (innerWidth - 300) / innerHeight);
    let far = 0;
    const places = geometry.attributes.position, c = new THREE.Vector3();
    for (let i = 0; i < places.count; i += Math.ceil(places.count / 5000)) {
      c.fromBufferAttribute(places, i).sub(center);
      far = Math.max(far, c.dot(away) + Math.max(Math.abs(c.dot(up)) / tall, Math.abs(c.dot(right)) / wide));
    }
    controls.target.copy(center);
    camera.position.copy(center).addScaledVector(away, far);
    controls.update();
  };
  const seen = ([x, y, z]) => [turn * x, turn * y, z];
  buttons(looks.map(([name]) => [name, name]), name => look(looks.find(l => l[0] === name)[1]));

  let drawn = false; // as it is now, with all triangles
  let showInstant = () => {};
  if (header.instants) {
    title("Time");
    const all = new Instants(header, streams, unpack), last = header.instants.length - 1;
    const when = element(panel, "div", header.instants[last].time, {className: "when"});
    const bar = element(panel, "input", "", {type: "range", min: 0, max: last, step: 1, value: last, oninput: e => showInstant(Number(e.target.value))});
    if (lines || header.fields.some(f => f.wall)) element(panel, "div", "Streamlines and what the wall feels are those at the end.", {className: "note"});
    showInstant = async number => {
      bar.value = number;
      if (!await all.show(number)) return;
      const {time, openings: numbers} = header.instants[number];
      when.textContent = time;
      state.end = number === last;
      document.querySelector("header p").style.visibility = state.end ? "" : "hidden"; // it tells of the end
      showLines();
      colourBy(state.mode);
      drawSlice();
      drawLegend();
      openings.forEach((o, i) => o.tell(numbers[i]));
      drawn = false;
    };
  }

  title("Surface");
  const legend = document.createElement("div");
  const setMode = mode => {
    state.mode = mode;
    colourBy(mode);
    drawLegend();
  };
  const first = header.labels && !lines ? "label" : "plain";
  const glass = 0.16; // opacity that lets streamlines be seen
  if (modes.length > 1) buttons(modes, mode => {
    setMode(mode);
    setOpacity(mode === "plain" && lines?.visible ? glass : 1);
  }, first);
  panel.append(legend);
  const slider = (text, min, max, step, value, set) => {
    element(panel, "div", text, {className: "note"});
    return element(panel, "input", "", {type: "range", min, max, step, value, oninput: e => set(Number(e.target.value))});
  };
  const setOpacity = value => {
    opacity.value = value;
    material.opacity = value;
    material.transparent = value < 1;
    material.depthWrite = value === 1;
    material.side = value < 1 ? THREE.FrontSide : THREE.DoubleSide;
    material.needsUpdate = true;
    surface.visible = value > 0;
  };
  const opacity = slider("opacity", 0, 1, 0.02, 1, setOpacity);

  const check = (text, on, set) => {
    const label = element(panel, "label"), box = element(label, "input", "", {type: "checkbox", checked: on, onchange: () => set(box.checked)});
    label.append(text);
    return box;
  };
  title("Show");
  const showLines = () => { if (lines) lines.visible = state.lines && state.end; };
  if (lines) check("streamlines", true, on => { state.lines = on; showLines(); drawLegend(); });
  if (boxes) check(`${header.boxes} cuboids`, false, on => { boxes.visible = on; });
  const marks = document.getElementById("labels");
  const shownMarks = {openings: true, flows: true, sides: true};
  if (branches) check(`${header.branches.length} branches`, false, on => { branches.visible = on; });
  if (header.openings?.length) check("openings", true, on => { shownMarks.openings = on; });
  if (header.openings?.some(o => o.flow)) check("flows", true, on => { shownMarks.flows = on; });
  if (header.sides) check("the patient's sides", true, on => { shownMarks.sides = on; });

  const clip = new THREE.Group();
  let drawSlice = () => {};
  if (header.voxels) {
    title("Cut");
    const volume = new Volume(header, streams), s = header.voxels;
    drawSlice = () => {
      for (const old of clip.children) old.material.map.dispose();
      clip.clear();
      const on = state.slice >= 0;
      for (const m of [material, lines?.material]) {
        if (!m) continue;
        m.clippingPlanes = on ? [plane] : null;
        m.needsUpdate = true;
      }
      if (!on) return;
      const layer = Math.min(s.size[state.axis] - 1, Math.floor(state.slice * s.size[state.axis]));
      const at = header.low[state.axis] + (layer + 0.5) * s.spacing;
      // What lies before the cut, as seen from the usual side, is taken away.
      const sign = state.axis === 2 ? -1 : state.axis === 1 ? turn : -turn;
      plane.normal.set(0, 0, 0).setComponent(state.axis, sign);
      plane.constant = -sign * at;
      const [u, v] = [0, 1, 2].filter(a => a !== state.axis);
      const image = volume.paint(state.axis, layer, streams.bytes("voxel:" + state.field), tables.get(state.field));
      const texture = new THREE.DataTexture(image, s.size[u], s.size[v]);
      texture.colorSpace = THREE.SRGBColorSpace;
      texture.magFilter = THREE.NearestFilter;
      texture.needsUpdate = true;
      const quad = new THREE.BufferGeometry(), corners = [];
      for (const [a, b] of [[0, 0], [1, 0], [1, 1], [0, 1]]) {
        const c = [0, 0, 0];
        c[state.axis] = at;
        c[u] = header.low[u] + a * s.size[u] * s.spacing;
        c[v] = header.low[v] + b * s.size[v] * s.spacing;
        corners.push(...c);
      }
      quad.setAttribute("position", new THREE.Float32BufferAttribute(corners, 3));
      quad.setAttribute("uv", new THREE.Float32BufferAttribute([0, 0, 1, 0, 1, 1, 0, 1], 2));
      quad.setIndex([0, 1, 2, 0, 2, 3]);
      clip.add(new THREE.Mesh(quad, new THREE.MeshBasicMaterial({map: texture, alphaTest: 0.5, side: THREE.DoubleSide})));
    };
    scene.add(clip);
    buttons([["off", "off"], [0, "x"], [1, "y"], [2, "z"]], axis => {
      state.slice = axis === "off" ? -1 : Number(position.value);
      if (axis !== "off") {
        state.axis = axis;
        look(seen([[1, -0.45, 0.2], [-0.2, -1, 0.15], [-0.2, -0.7, 1]][axis]));
      }
      drawSlice();
      drawLegend();
    }, "off");
    const inside = header.fields.filter(f => !f.wall);
    if (inside.length > 1) buttons(inside.map(f => [f.name, f.name]), name => { state.field = name; drawSlice(); drawLegend(); }, state.field);
    const position = slider("position", 0, 1, 0.002, 0.5, value => {
      if (state.slice >= 0) { state.slice = value; drawSlice(); }
    });
  }
  element(panel, "p", header.note, {className: "note"});

  function drawLegend() {
    legend.replaceChildren();
    const shown = new Set();
    if (tables.has(state.mode)) shown.add(state.mode);
    if (lines?.visible) shown.add("speed");
    if (state.slice >= 0) shown.add(state.field);
    for (const name of shown) {
      const f = header.fields.find(g => g.name === name);
      element(legend, "div", "", {className: "bar"}).style.background = `linear-gradient(90deg, ${f.colours.join(",")})`;
      const ticks = element(legend, "div", "", {className: "ticks"});
      const size = Math.max(Math.abs(f.low), Math.abs(f.high));
      const [prefix, part] = f.unit ? [["k", 1e3], ["", 1], ["m", 1e-3]].find(([, p]) => size >= p / 2) ?? ["µ", 1e-6] : ["", 1];
      element(ticks, "span", rounded(f.low / part, (f.high - f.low) / part));
      element(ticks, "span", f.unit ? `${f.name} (${prefix}${f.unit})` : f.name);
      element(ticks, "span", rounded(f.high / part, (f.high - f.low) / part));
    }
    if (state.mode === "label") {
      const list = element(legend, "div", "", {className: "list"});
      for (const l of header.labels) {
        const row = element(list, "label");
        element(row, "span", "", {className: "swatch"}).style.background = l.colour;
        row.append(l.name);
        element(row, "span", l.detail, {className: "detail"});
      }
    }
  }

  // Marks of the openings follow their places.
  const openings = (header.openings ?? []).map(o => {
    const mark = element(marks, "div", "", {className: o.role});
    element(mark, "b", String(o.number));
    const words = element(mark, "span", o.text), flow = o.flow && element(mark, "em", o.flow);
    const tell = numbers => {
      words.textContent = numbers.text;
      if (!flow) return;
      flow.textContent = numbers.flow ?? "";
      flow.width = undefined; // it is measured where it is seen
      mark.classList.remove("crowded");
    };
    return {mark, flow, tell, at: new THREE.Vector3(...o.at)};
  });
  const branchMarks = (header.branches ?? []).map(b => {
    const mark = element(marks, "div", "", {className: "branch"});
    element(mark, "b", String(b.number));
    element(mark, "span", b.text);
    return {mark, at: new THREE.Vector3(...b.at)};
  });
  // The patient's sides stand around what is shown.
  const sides = (header.sides ?? []).map((name, i) => {
    const at = center.clone(), axis = i >> 1;
    at.setComponent(axis, at.getComponent(axis) + (i & 1 ? -1 : 1) * (0.5 * size.getComponent(axis) + 0.13 * radius));
    return {mark: element(marks, "div", name, {className: "side"}), at};
  });
  const projected = new THREE.Vector3();
  const onScreen = at => {
    projected.copy(at).project(camera);
    return [(projected.x + 1) / 2 * innerWidth, (1 - projected.y) / 2 * innerHeight];
  };
  const place = (mark, at) => {
    const [x, y] = onScreen(at);
    mark.style.left = `${x}px`;
    mark.style.top = `${y}px`;
    return [x, y];
  };
  function placeMarks() {
    const taken = [], [middle, height] = onScreen(center);
    for (const {mark, at} of sides) {
      const [x, y] = place(mark, at);
      // One that is looked along stands before what is shown.
      mark.hidden = !shownMarks.sides || Math.hypot(x - middle, y - height) < 40;
    }
    const room = box => !taken.some(t => box[0] < t[2] && t[0] < box[2] && box[1] < t[3] && t[1] < box[3]);
    const back = camera.position.distanceTo(center) + 0.25 * radius;
    for (const o of openings) {
      // A little outward of the middle, so that the mark stands beside the end.
      projected.copy(o.at).sub(center).multiplyScalar(1 + 0.05 * radius / Math.max(1e-9, o.at.distanceTo(center))).add(center);
      o.behind = projected.distanceTo(camera.position) > back;
      const [x, y] = place(o.mark, projected.clone()), wide = Math.max(12, 4 * o.mark.firstChild.textContent.length + 6);
      o.box = [x - wide, y - 12, x + wide, y + 12];
      o.mark.classList.toggle("behind", o.behind);
    }
    // Those before the middle come first, and of these the larger ones.
    for (const behind of [false, true]) {
      for (const o of openings) {
        if (o.behind !== behind) continue;
        o.mark.hidden = !shownMarks.openings || !room(o.box);
        if (!o.mark.hidden) taken.push(o.box);
      }
    }
    for (const {mark, at} of branchMarks) {
      if (mark.hidden = !branches.visible) continue;
      const [x, y] = place(mark, at), box = [x - 10, y - 9, x + 10, y + 9];
      // The first ones, which are the larger, stand where there is room.
      mark.hidden = !room(box);
      if (!mark.hidden) taken.push(box);
    }
    // The largest flows stand where there is room for them, outside or inside of their openings,
    // and not over the title or under the panel.
    for (const words of [document.querySelector("header"), panel]) {
      const {left, top, right, bottom} = words.getBoundingClientRect();
      taken.push([left, top, right, bottom]);
    }
    for (const {mark, flow, box: [x0, y0, x1, y1]} of openings) {
      if (!flow || mark.hidden) continue;
      flow.width ??= flow.offsetWidth;
      const wide = flow.width + 5, west = [x0 - wide, y0 + 3, x0 - 1, y1 - 3], east = [x1 + 1, y0 + 3, x1 + wide, y1 - 3];
      const box = shownMarks.flows && ((x0 + x1) / 2 < middle ? [west, east] : [east, west]).find(room);
      mark.classList.toggle("west", box === west);
      mark.classList.toggle("crowded", !box);
      if (box) taken.push(box);
    }
  }

  function resize() {
    camera.aspect = innerWidth / innerHeight;
    // The panel covers the right; the view is centred in the rest.
    const covered = innerWidth > 700 ? 284 : 0;
    camera.setViewOffset(innerWidth, innerHeight, covered / 2, 0, innerWidth, innerHeight);
    camera.updateProjectionMatrix();
    renderer.setSize(innerWidth, innerHeight, false);
  }
  addEventListener("resize", resize);
  resize();
  look(seen([-0.35, -1, 0.25]));
  if (lines) setOpacity(glass);
  // A part of the address after # presses buttons, and instant=0 chooses the first: for
  // links and tests.
  setMode(first);
  for (const text of decodeURIComponent(location.hash.slice(1)).split(",")) {
    const number = /^instant=(\d+)$/.exec(text)?.[1];
    if (number < header.instants?.length) showInstant(Number(number));
    for (const b of panel.querySelectorAll("button, label")) if (text && b.textContent === text) b.click();
  }
  // Where frames take long fewer triangles and pixels are drawn while the view turns, and light
  // stands still when it rests.
  const start = performance.now(), fine = geometry.index, most = 40000;
  let slow = byProcessor, average = 0, last = start, turned = -Infinity, coarse, turns = false;
  controls.addEventListener("change", () => { turned = performance.now(); });
  for (const event of ["click", "input", "change", "resize", "keydown"]) addEventListener(event, () => { drawn = false; });
  renderer.setAnimationLoop(now => {
    average += 0.1 * (Math.min(now - last, 200) - average); // milliseconds; a page that was hidden is not slow
    last = now;
    slow ||= average > 60;
    controls.update();
    const turning = slow && performance.now() - turned < 250;
    if (slow && drawn && !turning) return;
    drawn = !turning;
    if (turning) coarse ??= coarser(geometry, most);
    if (turning !== turns) {
      geometry.setIndex(turning ? coarse : fine);
      renderer.setPixelRatio(window.devicePixelRatio * (turning ? 0.5 : 1));
      turns = turning;
    }
    if (lines) lines.material.uniforms.clock.value = (now - start) / 1000 * header.transit / 6;
    placeMarks();
    renderer.render(scene, camera);
  });
}
