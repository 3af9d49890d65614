/** The image library, with the loaders of bitmaps alone: drawings such as SVG are programs for a renderer, and are not accepted. */
import sharp from 'sharp';

/** libvips' names: a class includes the classes derived from it. */
const bitmapLoaders = ['VipsForeignLoadJpeg', 'VipsForeignLoadPng', 'VipsForeignLoadWebp', 'VipsForeignLoadNsgif', 'VipsForeignLoadTiff', 'VipsForeignLoadHeif'];

sharp.block({ operation: ['VipsForeignLoad'] });
sharp.unblock({ operation: bitmapLoaders });

export { sharp };
export type { Metadata, OutputInfo, Sharp, SharpOptions } from 'sharp';
