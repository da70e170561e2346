import { adapterTests } from "./kit.js";

adapterTests("mastra", { goesOn: true });
