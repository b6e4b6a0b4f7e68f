// What the report uses of three.js.
import {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry,
  ConeGeometry, DirectionalLight, DoubleSide, Group, HemisphereLight, InstancedMesh, Line, LineBasicMaterial,
  LineDashedMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, OrthographicCamera,
  Quaternion, Scene, SphereGeometry, TorusGeometry, Vector3, WebGLRenderer,
} from 'three';
globalThis.THREE = {
  AmbientLight, BoxGeometry, BufferAttribute, BufferGeometry, CatmullRomCurve3, Color, CylinderGeometry,
  ConeGeometry, DirectionalLight, DoubleSide, Group, HemisphereLight, InstancedMesh, Line, LineBasicMaterial,
  LineDashedMaterial, LineSegments, Matrix4, Mesh, MeshBasicMaterial, MeshLambertMaterial, OrthographicCamera,
  Quaternion, Scene, SphereGeometry, TorusGeometry, Vector3, WebGLRenderer,
};
