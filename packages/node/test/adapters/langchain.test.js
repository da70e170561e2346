import { adapterTests } from "./kit.js";

adapterTests("langchain");
