import uPlot from 'uplot';
globalThis.uPlot = uPlot;
